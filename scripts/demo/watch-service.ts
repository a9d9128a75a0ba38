import type { Emulator } from '@latchkey/emulator'
import { describeRequest } from './service-diary.ts'

/** Prints every request once it is answered. @returns a function that stops it. */
export function watchService(emulator: Emulator): () => void {
  let printedId = 0
  const timer = setInterval(() => {
    for (const request of emulator.control.requests()) {
      if (request.id <= printedId) continue
      // Wait for the earlier one, so that the log stays in order.
      if (request.outcome === 'pending') return
      printedId = request.id
      const { activation_usage_formatted } = emulator.control.license(emulator.demoLicense.id)
      console.log(`  service: ${describeRequest(request)}   (seats in use: ${activation_usage_formatted})`)
    }
  }, 100)
  return () => clearInterval(timer)
}
