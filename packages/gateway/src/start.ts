import { helpText, parseCommandLine } from './command-line.ts'
import { GatewayConfigError } from './gateway-config-error.ts'
import { readGatewayEnvironment } from './node/gateway-environment.ts'
import { keysCommand } from './node/keys-command.ts'
import { createLineWriter } from './node/line-writer.ts'
import { runGateway } from './node/run-gateway.ts'

const commandLine = parseCommandLine(process.argv.slice(2))
switch (commandLine.kind) {
  case 'help':
    console.log(helpText)
    break
  case 'error':
    fail(2, `${commandLine.message}\nlatchkey-gateway --help tells what can be said.`)
    break
  case 'keys':
    await orFail(async () => {
      const { verb, json } = commandLine
      console.log(await keysCommand(verb, process.env['LATCHKEY_SIGNING_KEY'], json))
    })
    break
  case 'run':
    await orFail(run)
}

async function run(): Promise<void> {
  const log = createLineWriter(process.stdout)
  process.on('exit', log.flush)
  const server = await runGateway(readGatewayEnvironment(process.env), (line) =>
    log.write(JSON.stringify(line)),
  )
  let isEnding = false
  const end = (): void => {
    if (isEnding) return
    isEnding = true
    void server.close()
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
}

async function orFail(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof GatewayConfigError) {
      fail(1, [...error.problems, 'latchkey-gateway --help tells what each setting is for.'].join('\n'))
    } else {
      fail(1, `The gateway could not start: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

function fail(exitCode: number, message: string): void {
  console.error(message)
  process.exitCode = exitCode
}
