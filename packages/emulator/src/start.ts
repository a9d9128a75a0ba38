import { parseCommandLine, type RunCommand } from './command-line.ts'
import { checkDataFolder, readDataFile, writeDataFile } from './data-file.ts'
import { type Emulator, type EmulatorOptions, startEmulator } from './start-emulator.ts'

const commandLine = parseCommandLine(process.argv.slice(2))
if (commandLine.kind === 'run') await run(commandLine)
else if (commandLine.kind === 'help') console.log(commandLine.text)
else fail(2, commandLine.text)

async function run(command: RunCommand): Promise<void> {
  const options = await readOptions(command)
  if (!options) return
  let emulator: Emulator
  try {
    emulator = await startEmulator({ ...options, log: console.error })
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
  // The terminal was closed: SIGHUP.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end())
  // If standard input is a file, such as /dev/null, it ends but never closes.
  if (command.exitWithParent) {
    for (const event of ['end', 'close']) process.stdin.once(event, () => void end())
    process.stdin.resume()
  }
  console.log(command.json ? readyLine(emulator) : greeting(emulator))
}

async function readOptions({ options, data: file, save }: RunCommand): Promise<EmulatorOptions | null> {
  if (file === undefined) return options
  try {
    const data = await readDataFile(file)
    if (data === null && !save) throw new Error(`${file} doesn't exist. With --save it is created at exit.`)
    if (save) await checkDataFolder(file)
    return data ? { ...options, seed: data } : options
  } catch (error) {
    fail(2, `--data: ${sentenceOf(error)}`)
  }
  return null
}

async function save({ data: file, save: isWanted }: RunCommand, emulator: Emulator): Promise<void> {
  if (file === undefined || !isWanted) return
  try {
    await writeDataFile(file, emulator.control.dumpData())
  } catch (error) {
    fail(1, `Could not save the data: ${sentenceOf(error)}`)
  }
}

function readyLine({ demoLicense, origin, ...emulator }: Emulator): string {
  const { baseUrl, face, licenseKey, settings, accessToken } = emulator
  const page = `${origin}/`
  return JSON.stringify({ baseUrl, face, licenseKey, settings, accessToken, license: demoLicense, page })
}

function greeting({ demoLicense, origin, ...emulator }: Emulator): string {
  const { baseUrl, face, licenseKey, settings, accessToken } = emulator
  return [
    `${face === 'commerce' ? 'The commerce service' : `Emulated ${face}`} is running at ${baseUrl}`,
    '',
    `  license key   ${licenseKey}   (${demoLicense.activation_limit} seats)`,
    ...Object.entries(settings).map(([name, value]) => `  ${name.padEnd(13)} ${value}`),
    ...(accessToken === null ? [] : [`  access token  ${accessToken}`]),
    `  live page     ${origin}/`,
    '',
    'Press Ctrl-C to stop it.',
  ].join('\n')
}

function fail(exitCode: number, message: string): void {
  console.error(message)
  process.exitCode = exitCode
}

function sentenceOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.includes('EADDRINUSE') ? 'the port is in use. Choose another one with --port.' : message
}
