import { readFileSync } from 'node:fs'
import path from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { GatewayConfigError } from '../gateway-config-error.ts'
import { helpText, keysCommand, parseCommandLine } from './command-line.ts'
import { describeIgnored, isUnset, readGatewayEnvironment } from './environment.ts'
import { createLineWriter, runGateway } from './run-gateway.ts'
import { describeIgnoredSettings, overriddenSettings, readSettings } from './settings-file.ts'

const commandLine = parseCommandLine(process.argv.slice(2))
switch (commandLine.kind) {
  case 'help':
    console.log(helpText)
    break
  case 'version':
    console.log(manifest.version)
    break
  case 'error':
    fail(2, `${commandLine.message}\nlatchkey-gateway --help lists the available options.`)
    break
  case 'keys':
    await orFail(async () => {
      const { verb, json, settingsFile } = commandLine
      const overridden = applySettingsFile(settingsFile)
      if (verb !== 'generate' && overridden.includes('LATCHKEY_SIGNING_KEY')) {
        throw new GatewayConfigError([
          `${overriddenText('LATCHKEY_SIGNING_KEY')} Unset the variable, so that no key of the file is lost.`,
        ])
      }
      await printKeys(await keysCommand(verb, process.env['LATCHKEY_SIGNING_KEY'], json))
    })
    break
  case 'run':
    await orFail(() => run(commandLine.settingsFile))
}

/** Prints keys. Unlike `console.log`, it doesn't ignore a full disk, where the output would be an empty file. */
async function printKeys(text: string): Promise<void> {
  // The callback has the same error.
  process.stdout.on('error', () => {})
  const error = await new Promise<Error | null | undefined>((resolve) => {
    process.stdout.write(`${text}\n`, resolve)
  })
  if (error == null || ('code' in error && error.code === 'EPIPE')) return
  fail(1, `The keys can't be written (${codeOf(error)}). Don't use a file that has only a part of them.`)
}

async function run(settingsFile: string | null): Promise<void> {
  for (const name of applySettingsFile(settingsFile)) {
    console.error(`${overriddenText(name)} The file's is not used.`)
  }
  const environment = readGatewayEnvironment(process.env)
  for (const name of environment.unknownVariables) console.error(describeIgnored(name))
  // The same may go wrong with stderr.
  process.stderr.on('error', () => {})
  const log = createLineWriter(process.stdout, reportLostLog)
  process.on('exit', log.flush)
  const server = await runGateway(environment, (line) => log.write(JSON.stringify(line)), {
    ownsProcess: true,
  })
  // Without a listener, a second signal ends the process at once.
  const end = (): void => {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
    void server.close()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

function overriddenText(name: string): string {
  return `${name} has another value in the environment than in the settings file.`
}

function reportLostLog(error: Error): void {
  console.error(`The log can't be written (${codeOf(error)}), so lines are lost. The gateway keeps serving.`)
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : error.name
}

/**
 * Adds the settings of a file to the environment. An empty variable counts as unset: it is what Docker Compose sets for a
 * value that it doesn't have.
 *
 * @returns the names for which the environment has another value.
 */
function applySettingsFile(file: string | null): readonly string[] {
  if (file === null) return []
  const settings = readSettings(textOf(file), shown(file))
  for (const sentence of describeIgnoredSettings(settings, process.env)) console.error(sentence)
  const overridden = overriddenSettings(settings, process.env)
  for (const [name, value] of Object.entries(settings)) {
    if (isUnset(process.env[name])) process.env[name] = value
  }
  return overridden
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EISDIR') {
      throw new GatewayConfigError([
        `${shown(file)} (from --settings) is a folder. Docker creates one if the file that it mounts doesn't exist.`,
      ])
    }
    throw new GatewayConfigError([
      code === 'ENOENT'
        ? `There is no settings file ${shown(file)}. Check the name after --settings, and the folder.`
        : `Can't read the settings file ${shown(file)} (from --settings). Check its permissions.`,
    ])
  }
}

/** A key that was pasted in place of a file's name must not end up in a log. */
function shown(file: string): string {
  return /^[^{"]{1,200}$/u.test(file) && !/[\w-]{40}/u.test(path.basename(file)) ? path.resolve(file) : '…'
}

async function orFail(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof GatewayConfigError) {
      fail(1, [...error.problems, 'latchkey-gateway --help explains each setting.'].join('\n'))
    } else {
      fail(1, `The gateway could not start: ${reasonOf(error)}`)
    }
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if ('code' in error && 'port' in error && error.code === 'EADDRINUSE') {
    return `port ${error.port} is in use by another program. Set PORT or LATCHKEY_METRICS_PORT to another one.`
  }
  if ('code' in error && (error.code === 'ENOTFOUND' || error.code === 'EADDRNOTAVAIL')) {
    return `HOST is not an address of this machine (${error.code}). Set 127.0.0.1 for a reverse proxy on this machine, or 0.0.0.0. The public name belongs in the reverse proxy's settings.`
  }
  return error.message
}

function fail(exitCode: number, message: string): void {
  console.error(message)
  process.exitCode = exitCode
}
