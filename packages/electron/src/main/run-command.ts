import type { LicensingState } from '../shared/licensing-state.ts'
import { type Problem, type ProblemCode, problemMessages } from '../shared/problem.ts'
import type { Licensing } from './licensing.ts'
import type { Command } from './take-command.ts'

/** The same numbers mean the same to `latchkey`, the support desk's tool. Scripts depend on them, so they never change. */
const [ok, negative, usage, unreachable, unauthorized, notFound, unexpected] = [0, 1, 2, 3, 4, 5, 6]

/** The exit codes of problems that say more than "try again later" or "unexpected". */
const ofProblem: { readonly [Code in ProblemCode]?: number } = {
  'empty-text': usage,
  'no-license-key': usage,
  'several-license-keys': usage,
  'text-too-long': usage,
  'incomplete-license-key': usage,
  'foreign-character': usage,
  'license-not-found': notFound,
  'wrong-product': negative,
  'license-expired': negative,
  'license-suspended': negative,
  'license-inactive': negative,
  'no-seat-left': negative,
  'activation-refused': negative,
  'license-of-other-service': negative,
  'test-license-key': negative,
  unauthorized,
  'store-not-writable': unexpected,
  'disk-full': unexpected,
  unexpected,
}

/** What a command calls. */
export interface CommandVerbs extends Pick<Licensing, 'activate' | 'deactivate'> {
  /** Reads the state from disk. No trial begins, and nothing is sent. */
  readState(): Promise<LicensingState>
}

/** Where a command reads and prints. */
export interface CommandTerminal {
  /** Prints a line to standard output. */
  print(line: string): void | Promise<void>
  /** Prints a line to standard error. */
  complain(line: string): void | Promise<void>
  /** Reads standard input to its end. */
  readInput(): Promise<string>
}

/** Runs a command. @returns the exit code of the process. */
export async function runCommand(
  command: Command,
  licensing: CommandVerbs,
  terminal: CommandTerminal,
): Promise<number> {
  /** One line for both of a problem's readers: a person, and a script. */
  async function fail({ code, message, isRetryable }: Problem): Promise<number> {
    await terminal.complain(`${message} (${code})`)
    return ofProblem[code] ?? (isRetryable ? unreachable : unexpected)
  }

  switch (command.name) {
    case 'unusable':
      await terminal.complain(command.problem)
      return usage
    case 'activate': {
      const text = command.text === '-' ? await terminal.readInput() : command.text
      const result = await licensing.activate(text)
      if (!result.ok) return fail(result.problem)
      const { problem, license } = result.state
      // The next start would not find it.
      if (problem?.code === 'store-not-writable' || problem?.code === 'disk-full') return fail(problem)
      await terminal.print(`Activated with license ${license?.maskedKey ?? ''}.`)
      return ok
    }
    case 'deactivate': {
      const result = await licensing.deactivate()
      if (!result.ok) {
        // A script that removes the app from many computers runs on one that was never activated, too.
        if (result.problem.code !== 'not-activated') return fail(result.problem)
        await terminal.print('No license is activated for this user account.')
        return ok
      }
      const { problem, releaseCode } = result.state
      if (releaseCode !== undefined) await terminal.print(`Release code:\n${releaseCode.text}`)
      if (result.seat === 'freed') {
        await terminal.print('This device is deactivated, and its seat is available.')
        return ok
      }
      if (problem !== null) return fail(problem)
      await terminal.complain('This device is deactivated, but its seat is still in use.')
      return result.seat === 'freed-later' ? unreachable : unexpected
    }
    case 'license-status': {
      const state = await licensing.readState()
      await terminal.print(command.isJson ? JSON.stringify(state) : describe(state))
      return state.entitled ? ok : negative
    }
  }
}

function describe({ status, license, device, problem }: LicensingState): string {
  const lines = [`Status: ${status}`]
  if (license !== null) {
    lines.push(`License: ${license.maskedKey}`)
    lines.push(`Ends: ${license.expiresAt ?? (license.isEndUnknown ? 'unknown' : 'never')}`)
  }
  if (device !== null) lines.push(`Device: ${device.label} [${device.fingerprint}]`)
  // After a restart, only the status says so.
  const code = problem?.code ?? (status === 'revoked' ? 'moved-to-another-device' : null)
  if (code !== null) lines.push(`Problem: ${problem?.message ?? problemMessages[code]} (${code})`)
  if (problem?.source !== undefined) lines.push(`Source: ${problem.source}`)
  return lines.join('\n')
}

/** More than the longest text that `activate` takes, in characters. */
const longestInput = 20_000

/** The terminal that the process was started from. */
export const processTerminal: CommandTerminal = {
  print: (line) => write(process.stdout, line),
  complain: (line) => write(process.stderr, line),
  async readInput() {
    let text = ''
    for await (const chunk of process.stdin.setEncoding('utf8')) {
      text += String(chunk)
      if (text.length > longestInput) break
    }
    return text
  },
}

/** Waits for the write, because the process ends right after it. A closed pipe is no reason to fail. */
async function write(stream: NodeJS.WriteStream, line: string): Promise<void> {
  await new Promise<void>((resolve) => {
    stream.once('error', () => resolve())
    stream.write(`${line}\n`, () => resolve())
  })
}
