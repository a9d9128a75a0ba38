import { runProgram } from './program.ts'
import { processTerminal } from './terminal.ts'

const interruption = new AbortController()
// The first Ctrl-C stops after the current page. A second one ends the process.
process.once('SIGINT', () => interruption.abort())
process.once('SIGTERM', () => interruption.abort())
// `head` closes the pipe early. The write itself reports it.
process.stdout.on('error', () => {})

process.exitCode = await runProgram(process.argv.slice(2), processTerminal(interruption.signal))
