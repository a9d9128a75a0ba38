import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import * as z from 'zod/mini'
import { type CommandContext, outputOf } from './command-context.ts'
import { exportCustomers, listCustomers } from './commands/customers.ts'
import { exportDiscounts, listDiscounts } from './commands/discounts.ts'
import { type DoctorOptions, runDoctor } from './commands/doctor.ts'
import { findCustomers } from './commands/find-customers.ts'
import { listKeys, releaseKey, showKey } from './commands/keys.ts'
import { checkLicense } from './commands/license.ts'
import { connect, connectTo, environmentHelp, type GlobalOptions, timeoutMsOf } from './connection.ts'
import { exitCodes, exitCodesHelp } from './exit-codes.ts'
import type { ExportOptions } from './export/list-export.ts'
import { explainArguments } from './input/explain-arguments.ts'
import { notEmpty, offlineDays, positive, positiveInteger } from './input/option-values.ts'
import { explainUnknownCommand, refuseUnknownTopic } from './input/unknown-command.ts'
import { releaseOfflineSeat } from './offline/release-seat.ts'
import { type SignOptions, signOfflineRequest } from './offline/sign-request.ts'
import { runCommand } from './run-command.ts'
import {
  chosenService,
  commerceServiceOf,
  refuseOtherServices,
  type ServiceContext,
  serviceContextOf,
} from './services/service-context.ts'
import { runServiceDoctor } from './services/service-doctor.ts'
import { listServiceKeys, releaseServiceKey, showServiceKey } from './services/service-keys.ts'
import { checkServiceLicense } from './services/service-license.ts'
import type { Terminal } from './terminal.ts'
import { explainFlagValue, explainUnknownOption } from './unknown-option.ts'

const licenseArgument = 'the customer’s license key, or - to read it from standard input'

/**
 * Runs the command line.
 *
 * @param words the arguments after the program's name.
 * @returns the exit code.
 */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new Command('latchkey')
  const explained = (message: string): string =>
    explainUnknownOption(
      explainFlagValue(
        explainUnknownCommand(explainArguments(message, program, words), program, words),
        program,
        words,
      ),
      program,
      words,
      chosenService(terminal),
    )
  const act = async (work: (context: CommandContext) => Promise<number>, gateway?: string): Promise<void> => {
    exitCode = await runCommand(terminal, program.opts(), async () =>
      work(await contextOf(program.opts(), terminal, gateway)),
    )
  }
  const actOnCommerce = async (work: (context: CommandContext) => Promise<number>): Promise<void> => {
    exitCode = await runCommand(terminal, program.opts(), async () => {
      refuseOtherServices(terminal)
      return work(await contextOf(program.opts(), terminal, undefined))
    })
  }
  /** Runs a command through the adapter of the service in the environment, if it names one. */
  const actOnService = async (
    work: (context: CommandContext) => Promise<number>,
    workOnService: (context: ServiceContext) => Promise<number>,
    gateway?: string,
  ): Promise<void> => {
    const name = chosenService(terminal)
    // Requests to a gateway are the same for every service behind it.
    if (name === null || gateway !== undefined) return act(work, gateway)
    exitCode = await runCommand(terminal, program.opts(), async () =>
      workOnService(serviceContextOf(name, program.opts(), terminal)),
    )
  }

  program
    .description('The support desk’s tool: devices of a license, seats, discounts, customers.')
    .version(ownVersion(), '--version', 'print the version')
    .option('--base-url <url>', 'address of the commerce service or a gateway (default: LATCHKEY_BASE_URL)')
    .option('--token-file <file>', 'file with the access token (default: LATCHKEY_ACCESS_TOKEN_FILE)')
    .option('--timeout <seconds>', 'time limit of one request', positive, 15)
    .option('--json', 'print one JSON document instead of text')
    .addHelpText(
      'after',
      `${environmentHelp}${exitCodesHelp}
Examples:
  latchkey keys list 1f0a2b3c-…            devices of a license
  latchkey keys release 1f0a2b3c-… 7d6e…   free a seat
  latchkey license check 1f0a2b3c-…        what an app would decide now
  latchkey customers find ada               customers by name or email address
  latchkey customers export --output customers.csv
`,
    )
    .showHelpAfterError('(add --help to list the available options)')
    .exitOverride()
    .configureOutput({
      // Printing help to a closed pipe, as with `head`, is not a failure.
      writeOut: (text) => void terminal.out.write(text).catch(() => {}),
      writeErr: (text) => terminal.err.write(text),
      outputError: (message, write) => write(explained(message)),
    })
    .configureHelp({ showGlobalOptions: true })

  const keys = group(program, 'keys', 'the devices of a license')
  keys
    .command('list')
    .description('list every key: device, date, id')
    .argument('<license>', licenseArgument)
    .action((license: string) =>
      actOnService(
        (context) => listKeys(context, license),
        (context) => listServiceKeys(context, license),
      ),
    )
  keys
    .command('show')
    .description('show one key')
    .argument('<license>', licenseArgument)
    .argument('<key>', 'id of the key, from keys list')
    .action((license: string, key: string) =>
      actOnService(
        (context) => showKey(context, license, key),
        (context) => showServiceKey(context, license, key),
      ),
    )
  keys
    .command('release')
    .description('free the seat of a device')
    .argument('<license>', licenseArgument)
    .argument('<key>', 'id of the key, from keys list')
    .action((license: string, key: string) =>
      actOnService(
        (context) => releaseKey(context, license, key),
        (context) => releaseServiceKey(context, license, key),
      ),
    )

  group(program, 'license', 'the state of a license')
    .command('check')
    .description('show what an app would decide now, and why')
    .argument('<license>', licenseArgument)
    .option(
      '--key <key>',
      'id of a key: decide for its device (default: any device of the license)',
      notEmpty,
    )
    .action((license: string, options: { key?: string }) =>
      actOnService(
        (context) => checkLicense(context, license, options),
        (context) => checkServiceLicense(context, license, options),
      ),
    )

  const offline = group(program, 'offline', 'activate or release a computer that never goes online')
  offline
    .command('sign')
    .description('activate the computer of a request, and sign the answer for it')
    .argument('<file>', 'file with the request that the app saved, or - for standard input')
    .option(
      '--days <number>',
      'how many days the computer may run without internet; LATCHKEY_OFFLINE_DAYS is not read',
      offlineDays,
      365,
    )
    .option('--out <file>', 'write the answer to a file (default: standard output)')
    .action((file: string, options: SignOptions) =>
      actOnService(
        async (context) => signOfflineRequest(commerceServiceOf(context), file, options),
        (context) => signOfflineRequest(context, file, options),
      ),
    )
  offline
    .command('release')
    .description('free the seat of a computer that was deactivated')
    .argument('<file>', 'file with the release code that the app saved, or - for standard input')
    .action((file: string) =>
      actOnService(
        async (context) => releaseOfflineSeat(commerceServiceOf(context), file),
        (context) => releaseOfflineSeat(context, file),
      ),
    )

  const discounts = group(program, 'discounts', 'the discounts of your store')
  discounts
    .command('list')
    .description('list one page of discounts, or all')
    .option('--page <number>', 'page to show', positiveInteger)
    .option('--all', 'list all pages')
    .action((options: { page?: number; all?: boolean }) =>
      actOnCommerce((context) => listDiscounts(context, options)),
    )
  exportCommand(discounts, 'all discounts', (options) =>
    actOnCommerce((context) => exportDiscounts(context, options)),
  )

  const customers = group(program, 'customers', 'the customers of your store')
  customers
    .command('list')
    .description('list one page of customers')
    .option('--page <number>', 'page to show', positiveInteger)
    .action((options: { page?: number }) => actOnCommerce((context) => listCustomers(context, options)))
  customers
    .command('find')
    .description('find customers by a part of their name or email address')
    .argument('<text>', 'part of a name or an email address; case and accents do not matter')
    .option('--limit <number>', 'stop after this many', positiveInteger, 10)
    .action((text: string, options: { limit: number }) =>
      actOnCommerce((context) => findCustomers(context, text, options)),
    )
  exportCommand(customers, 'all customers', (options) =>
    actOnCommerce((context) => exportCustomers(context, options)),
  )

  program
    .command('doctor')
    .description('check base URL, token, clock, latency and the shape of the answers')
    .option(
      '--license <license>',
      'check with the keys of this license; with --gateway, try every request with it',
      notEmpty,
    )
    .option(
      '--gateway <url>',
      'address of a gateway: sends all five license requests to it, without the token, and frees the seat again',
    )
    .action((options: DoctorOptions) =>
      actOnService(
        (context) => runDoctor(context, options),
        (context) => runServiceDoctor(context, options),
        options.gateway,
      ),
    )

  try {
    refuseUnknownTopic(program, words)
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  return exitCode
}

function group(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).copyInheritedSettings(program)
}

/** Adds an `export` command. All lists have the same export options. */
function exportCommand(
  parent: Command,
  what: string,
  action: (options: ExportOptions) => Promise<void>,
): void {
  parent
    .command('export')
    .description(`export ${what}, page by page; an interrupted export can be resumed`)
    .addOption(
      new Option(
        '--format <format>',
        'csv or ndjson (default: csv, or ndjson if the file’s name ends with .ndjson or .jsonl)',
      ).choices(['csv', 'ndjson']),
    )
    .option('--output <file>', 'write to a file (default: standard output)')
    .option('--resume', 'resume an interrupted export to --output')
    .option('--overwrite', 'replace an existing file')
    .option('--from-page <number>', 'start at this page', positiveInteger)
    .action(action)
}

/** `package.json` is in the parent folder of both `src` and `dist`. */
function ownVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}

/** Requests to a gateway don't include the token. */
async function contextOf(
  options: GlobalOptions,
  terminal: Terminal,
  gateway: string | undefined,
): Promise<CommandContext> {
  const connection =
    gateway === undefined
      ? await connect(options, terminal)
      : connectTo(gateway, undefined, timeoutMsOf(options), 'any')
  return { ...connection, ...outputOf(options, terminal) }
}
