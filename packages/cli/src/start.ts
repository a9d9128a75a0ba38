import { runProgram } from './program.ts'
import { createTerminal } from './terminal.ts'

const interruption = new AbortController()
// The first Ctrl-C stops after the current page. A second one ends the process.
process.once('SIGINT', () => interruption.abort())
process.once('SIGTERM', () => interruption.abort())
// `head` closes the pipe early. The write itself reports it.
process.stdout.on('error', () => {})

const { env, stdin, stdout, stderr } = process
const terminal = createTerminal({ env, stdin, stdout, stderr, signal: interruption.signal })
process.exitCode = await runProgram(process.argv.slice(2), terminal)
