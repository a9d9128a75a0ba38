import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Emulator } from '@latchkey/emulator'
import { type AppEnvironment, directEnvironment } from './app-environment.ts'
import { describeRequests, openServiceDiary } from './service-diary.ts'
import { createStage } from './stage.ts'
import { type TourStep, tourSteps } from './tour-steps.ts'

/** Options of a tour. */
export interface TourOptions {
  /** The folder for a screenshot of each step. It is emptied first. */
  readonly picturesPath: string
  /** The app's settings for the service. @default the service itself */
  readonly environment?: AppEnvironment
  /** @default the whole tour */
  readonly steps?: readonly TourStep[]
  /** Receives the output, line by line. @default console.log */
  readonly tell?: (line: string) => void
}

/**
 * Runs the tour. Every step is performed and checked in the real app, and the service's log is printed with it.
 *
 * @throws the error of the first step that fails.
 */
export async function playTour(emulator: Emulator, options: TourOptions): Promise<void> {
  const { picturesPath, steps = tourSteps, tell = console.log } = options
  const { environment = directEnvironment(emulator) } = options
  await rm(picturesPath, { recursive: true, force: true })
  const userDataPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-demo-'))
  const diary = openServiceDiary(emulator)
  const stage = createStage(environment, { userDataPath, picturesPath })
  try {
    for (const [index, step] of steps.entries()) {
      diary.turnPage()
      await step.run({ stage, emulator, diary }).catch((error: unknown) => {
        throw new Error(`Step ${index + 1} did not hold: ${step.title}`, { cause: error })
      })
      tell(`${index + 1}. ${step.title}`)
      tell(`   The service saw: ${describeRequests(diary.page())}`)
    }
  } finally {
    await stage.abandon()
    await rm(userDataPath, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
