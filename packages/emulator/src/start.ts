import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'
import { type CommandLine, helpText, parseCommandLine } from './command-line.ts'
import { checkDataFolder, readDataFile, writeDataFile } from './data-file.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from './start-emulator.ts'

type RunCommand = Extract<CommandLine, { kind: 'run' }>

const commandLine = parseCommandLine(process.argv.slice(2))
switch (commandLine.kind) {
  case 'help':
    console.log(helpText)
    break
  case 'version':
    console.log(ownVersion())
    break
  case 'error':
    fail(2, `${commandLine.message}\nTo see all options, run latchkey-emulator --help.`)
    break
  case 'run':
    await run(commandLine)
}

async function run(command: RunCommand): Promise<void> {
  const options = await readOptions(command)
  if (!options) return
  let emulator: Emulator
  try {
    emulator = await startEmulator(options)
  } catch (error) {
    fail(1, `Cannot listen on ${options.host}:${options.port}: ${sentenceOf(error)}`)
    return
  }
  let isEnding = false
  const end = async (): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await emulator.close()
    await save(command, emulator)
    process.stdin.pause()
  }
  process.on('SIGINT', () => void end())
  process.on('SIGTERM', () => void end())
  // The terminal was closed.
  process.on('SIGHUP', () => void end())
  // If standard input is a file, such as /dev/null, it ends but never closes.
  if (command.exitWithParent) {
    for (const event of ['end', 'close']) process.stdin.once(event, () => void end())
    process.stdin.resume()
  }
  console.log(command.json ? readyLine(emulator) : greeting(emulator))
}

async function readOptions({ options, dataFile }: RunCommand): Promise<EmulatorOptions | null> {
  if (!dataFile) return options
  try {
    const data = await readDataFile(dataFile.path)
    if (data === null && !dataFile.save) {
      throw new Error(`${dataFile.path} doesn't exist. With --save it is created at exit.`)
    }
    if (dataFile.save) await checkDataFolder(dataFile.path)
    return data ? { ...options, seed: data } : options
  } catch (error) {
    fail(2, `--data: ${sentenceOf(error)}`)
  }
  return null
}

async function save({ dataFile }: RunCommand, emulator: Emulator): Promise<void> {
  if (!dataFile?.save) return
  try {
    await writeDataFile(dataFile.path, emulator.control.dumpData())
  } catch (error) {
    fail(1, `Could not save the data: ${sentenceOf(error)}`)
  }
}

function readyLine(emulator: Emulator): string {
  const { baseUrl, face, licenseKey, settings, origin, accessToken, demoLicense } = emulator
  return JSON.stringify({
    baseUrl,
    face,
    licenseKey,
    settings,
    accessToken,
    license: demoLicense,
    page: `${origin}/`,
  })
}

function greeting({
  baseUrl,
  face,
  licenseKey,
  settings,
  origin,
  accessToken,
  demoLicense,
}: Emulator): string {
  return [
    `${face === 'commerce' ? 'The commerce service' : `Emulated ${face}`} is running at ${baseUrl}`,
    '',
    `  license key   ${licenseKey}   (${demoLicense.activation_limit} seats)`,
    ...Object.entries(settings).map(([name, value]) => `  ${name.padEnd(13)} ${value}`),
    `  access token  ${accessToken ?? 'not required'}`,
    `  live page     ${origin}/`,
    '',
    'Press Ctrl-C to stop it.',
  ].join('\n')
}

/** `package.json` is in the parent folder of both `src` and `dist`. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}

function fail(exitCode: number, message: string): void {
  console.error(message)
  process.exitCode = exitCode
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes('EADDRINUSE') ? 'the port is in use. Choose another one with --port.' : message
}
