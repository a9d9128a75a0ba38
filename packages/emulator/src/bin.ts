#!/usr/bin/env node
import { type CommandLine, helpText, parseCommandLine } from './command-line.ts'
import { type Emulator, startEmulator } from './start-emulator.ts'

const commandLine = parseCommandLine(process.argv.slice(2))
switch (commandLine.kind) {
  case 'help':
    console.log(helpText)
    break
  case 'error':
    console.error(`${commandLine.message}\nlatchkey-emulator --help tells what can be said.`)
    process.exitCode = 2
    break
  case 'run':
    await run(commandLine)
}

async function run({ options, json, exitWithParent }: CommandLine & { kind: 'run' }): Promise<void> {
  let emulator: Emulator
  try {
    emulator = await startEmulator(options)
  } catch (error) {
    console.error(`Cannot listen on ${options.host}:${options.port}: ${sentenceOf(error)}`)
    process.exitCode = 1
    return
  }
  let isEnding = false
  const end = async (): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await emulator.close()
    process.stdin.pause()
  }
  process.on('SIGINT', () => void end())
  process.on('SIGTERM', () => void end())
  if (exitWithParent) process.stdin.resume().on('end', () => void end())
  console.log(json ? readyLine(emulator) : greeting(emulator))
}

function readyLine({ baseUrl, origin, accessToken, demoLicense }: Emulator): string {
  return JSON.stringify({ baseUrl, accessToken, license: demoLicense, page: `${origin}/` })
}

function greeting({ baseUrl, origin, accessToken, demoLicense }: Emulator): string {
  return [
    `The commerce service listens at ${baseUrl}`,
    '',
    `  license key   ${demoLicense.id}   (${demoLicense.activation_limit} seats)`,
    `  access token  ${accessToken ?? 'none needed'}`,
    `  live page     ${origin}/`,
    '',
    'Ctrl-C ends it.',
  ].join('\n')
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes('EADDRINUSE') ? 'the port is taken. Name another one with --port.' : message
}
