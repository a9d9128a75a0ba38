import { type CommandOptions, createCommand } from './command-line.ts'
import { checkDataFolder, readDataFile, writeDataFile } from './data-file.ts'
import { type Emulator, startEmulator } from './start-emulator.ts'

await createCommand(run)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parseAsync()

async function run({
  token,
  data: file,
  save,
  json,
  exitWithParent,
  ...options
}: CommandOptions): Promise<void> {
  const data = file === undefined ? null : await readData(file, save)
  if (data === 'unusable') return
  let emulator: Emulator
  try {
    const accessToken = token ?? null
    emulator = await startEmulator({
      ...options,
      accessToken,
      ...(data && { seed: data }),
      log: console.error,
    })
  } catch (error) {
    fail(1, `Cannot listen on ${options.host}:${options.port}: ${sentenceOf(error)}`)
    return
  }
  let isEnding = false
  const end = async (): Promise<void> => {
    if (isEnding) return
    isEnding = true
    await emulator.close()
    if (file !== undefined && save) {
      await writeDataFile(file, emulator.control.dumpData()).catch((error: unknown) =>
        fail(1, `Could not save the data: ${sentenceOf(error)}`),
      )
    }
    process.stdin.pause()
  }
  // The terminal was closed: SIGHUP.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void end())
  // If standard input is a file, such as /dev/null, it ends but never closes.
  if (exitWithParent) {
    for (const event of ['end', 'close']) process.stdin.once(event, () => void end())
    process.stdin.resume()
  }
  console.log(json ? readyLine(emulator) : greeting(emulator))
}

async function readData(file: string, save: boolean) {
  try {
    const data = await readDataFile(file)
    if (data === null && !save) throw new Error(`${file} doesn't exist. With --save it is created at exit.`)
    if (save) await checkDataFolder(file)
    return data
  } catch (error) {
    fail(2, `--data: ${sentenceOf(error)}`)
    return 'unusable'
  }
}

function readyLine({ demoLicense: license, origin, ...emulator }: Emulator): string {
  const { baseUrl, face, licenseKey, settings, accessToken } = emulator
  return JSON.stringify({ baseUrl, face, licenseKey, settings, accessToken, license, page: `${origin}/` })
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
