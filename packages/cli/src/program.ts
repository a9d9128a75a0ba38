import { longestOfflineDays } from '@latchkey/services/offline'
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import * as z from 'zod/mini'
import manifest from '../package.json' with { type: 'json' }
import { CommandError, exitCodes, exitCodesHelp } from './command-error.ts'
import { listDevices, releaseDevice, showDevice } from './commands/devices.ts'
import { type ExportOptions, exportList } from './commands/export.ts'
import { generateKeys, issueKeys, revokeKeys } from './commands/issue.ts'
import { checkLicense, linkLicense } from './commands/license.ts'
import { findCustomers, listCustomers, listDiscounts } from './commands/lists.ts'
import { releaseOfflineSeat, signOfflineRequest } from './commands/offline.ts'
import { runDoctor } from './doctor/doctor.ts'
import { explainUsage } from './explain/usage.ts'
import {
  type CommandContext,
  connectLists,
  connectService,
  environmentHelp,
  type ListContext,
  mistypedVariables,
  type ServiceContext,
  serviceNameOf,
} from './settings.ts'
import { isClosedPipe, systemCodeOf, type Terminal } from './terminal.ts'

/** Reads the value of an option by a schema, whose message says what it must be. */
function readBy<Value>(schema: z.ZodMiniType<Value>): (text: string) => Value {
  return (text) => {
    const { success, data, error } = schema.safeParse(text)
    if (success) return data
    throw new InvalidArgumentError(error.issues[0]?.message ?? 'It is unusable.')
  }
}

/** An empty value may be from a shell variable that isn't set. */
const notEmpty = readBy(z.string().check(z.regex(/\S/u, 'It is empty.')))
const above0 = 'It must be a number above 0.'
const positive = readBy(z.coerce.number(above0).check(z.positive(above0)))
const whole = 'It must be a whole number, at least 1.'
const wholeNumber = z.coerce.number(whole).check(z.multipleOf(1, whole), z.minimum(1, whole))
const positiveInteger = readBy(wholeNumber)
const mostDays = `It must be at most ${longestOfflineDays} days.`
const offlineDays = readBy(wholeNumber.check(z.maximum(longestOfflineDays, mostDays)))

/**
 * Runs the command line.
 *
 * @param words the arguments after the program's name.
 * @returns the exit code.
 */
export async function runProgram(words: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.ok
  const program = new Command('latchkey')
  /** Makes an action of a command: the work gets what the command line contains. */
  const run =
    <Given extends unknown[]>(work: (context: CommandContext, ...given: Given) => Promise<number>) =>
    async (...given: Given): Promise<void> => {
      exitCode = await runCommand(terminal, () => work({ terminal, options: program.opts() }, ...given))
    }
  const onService = <Given extends unknown[]>(
    work: (context: ServiceContext, ...given: Given) => Promise<number>,
  ) => run(async (context, ...given: Given) => work(await connectService(context), ...given))
  const onLists = <Given extends unknown[]>(
    work: (context: ListContext, ...given: Given) => Promise<number>,
  ) => run(async (context, ...given: Given) => work(await connectLists(context), ...given))

  program
    .description('The support desk’s tool: devices of a license, seats, discounts, customers.')
    .version(manifest.version, '--version', 'print the version')
    .option('--base-url <url>', 'address of the commerce service or a gateway (default: LATCHKEY_BASE_URL)')
    .option('--token-file <file>', 'file with the access token (default: LATCHKEY_ACCESS_TOKEN_FILE)')
    .option('--timeout <seconds>', 'time limit of one request', positive, 15)
    .option('--json', 'print one JSON document instead of text')
    .addHelpText(
      'after',
      `${environmentHelp}${exitCodesHelp}
Examples:
  latchkey devices list 1f0a2b3c-…            devices of a license
  latchkey devices release 1f0a2b3c-… 7d6e…   free a seat
  latchkey license check 1f0a2b3c-…           what an app would decide now
  latchkey customers find ada                 customers by name or email address
  latchkey customers export --output customers.csv
`,
    )
    .showHelpAfterError('(add --help to list the available options)')
    .exitOverride()
    .configureOutput({
      // Printing help to a closed pipe, as with `head`, is not a failure.
      writeOut: (text) => void terminal.print(...linesOf(text)).catch(() => {}),
      writeErr: (text) => terminal.tell(...linesOf(text)),
      outputError: (message, write) => write(explainUsage(message, program, words, serviceNameOf(terminal))),
    })
    .configureHelp({ showGlobalOptions: true })
  const group = (name: string, description: string): Command =>
    program.command(name).description(description).copyInheritedSettings(program)
  const license = ['<license>', 'the customer’s license key, or - to read it from standard input'] as const
  const device = ['<activation-id>', 'activation id of the device, from devices list'] as const
  /** Declares a command with its arguments. */
  const command = (
    parent: Command,
    name: string,
    description: string,
    ...given: readonly (readonly [string, string])[]
  ): Command => {
    const declared = parent.command(name).description(description)
    for (const [argument, meaning] of given) declared.argument(argument, meaning)
    return declared
  }

  const devices = group('devices', 'the devices of a license')
  const keys = group('keys', 'the key that signs license keys')
  // `keys` is another name for `devices` here.
  for (const parent of [devices, keys]) {
    for (const [name, description, work, ...given] of [
      ['list', 'list every device: name, date, activation id', onService(listDevices), license],
      ['show', 'show one device', onService(showDevice), license, device],
      ['release', 'free the seat of a device', onService(releaseDevice), license, device],
    ] as const) {
      const declared = parent.command(name, { hidden: parent === keys }).description(description)
      for (const [argument, meaning] of given) declared.argument(argument, meaning)
      declared.action(work)
    }
  }
  command(keys, 'generate', 'generate a key that signs license keys, and its public key')
    .option('--out <file>', 'write the signing key to a new file, and print only the public key', notEmpty)
    .action(run(generateKeys))

  /** Adds the options of the commands that sign. They need no service. */
  const signing = (declared: Command): Command =>
    declared
      .requiredOption('--product <product>', 'the product, as in the app’s signedKeys', notEmpty)
      .option(
        '--signing-key-file <file>',
        'file with the signing key (default: LATCHKEY_LICENSE_SIGNING_KEY)',
      )
  signing(command(program, 'issue', 'issue a license key that you sign yourself, or many'))
    .option('--id <id>', 'identifies the key, such as the ID of its payment (default: random)', notEmpty)
    .option('--name <name>', 'whom it is issued to')
    .option('--email <address>', 'the email address of whom it is issued to')
    .option('--plan <plan>', 'the plan or edition')
    .option('--features <features>', 'the features, separated by commas')
    .option('--expires <date>', 'the last day on which it can be used, such as 2027-12-31')
    .option(
      '--csv <file>',
      'a file with a row for each key, and a first line with id,name,email,plan,features,expires',
    )
    .action(run(issueKeys))
  signing(
    command(program, 'revoke', 'add license keys to the list of revoked keys', [
      '<keys...>',
      'license keys, or the ids they were issued with, such as stripe:pi_3Pq…:price_1Pq…',
    ]),
  )
    .requiredOption('--list <file>', 'the list, which is created or replaced', notEmpty)
    .action(run(revokeKeys))

  const licenses = group('license', 'the state of a license')
  command(licenses, 'check', 'show what an app would decide now, and why', license)
    .option(
      '--device <activation-id>',
      'activation id of a device: decide for it (default: any device of the license)',
      notEmpty,
    )
    .action(onService(checkLicense))
  command(licenses, 'link', 'print a link for the customer, to release a device in a browser', license)
    .requiredOption(
      '--gateway <url>',
      'address of a gateway that has the page, such as https://licenses.example/v1',
    )
    .action(run(linkLicense))

  const offline = group('offline', 'activate or release a computer that never goes online')
  const request = ['<file>', 'file with the request that the app saved, or - for standard input'] as const
  command(offline, 'sign', 'activate the computer of a request, and sign the answer for it', request)
    .option(
      '--days <number>',
      'how many days the computer may run without internet; LATCHKEY_OFFLINE_DAYS is not read',
      offlineDays,
      365,
    )
    .option('--out <file>', 'write the answer to a file (default: standard output)')
    .action(onService(signOfflineRequest))
  const code = ['<file>', 'file with the release code that the app saved, or - for standard input'] as const
  command(offline, 'release', 'free the seat of a computer that was deactivated', code).action(
    onService(releaseOfflineSeat),
  )

  const discounts = group('discounts', 'the discounts of your store')
  command(discounts, 'list', 'list one page of discounts, or all')
    .option('--page <number>', 'page to show', positiveInteger)
    .option('--all', 'list all pages')
    .action(onLists(listDiscounts))
  const customers = group('customers', 'the customers of your store')
  command(customers, 'list', 'list one page of customers')
    .option('--page <number>', 'page to show', positiveInteger)
    .action(onLists(listCustomers))
  const part = ['<text>', 'part of a name or an email address; case and accents do not matter'] as const
  command(customers, 'find', 'find customers by a part of their name or email address', part)
    .option('--limit <number>', 'stop after this many', positiveInteger, 10)
    .action(onLists(findCustomers))
  for (const [parent, list] of [
    [discounts, 'discounts'],
    [customers, 'customers'],
  ] as const) {
    command(parent, 'export', `export all ${list}, page by page`)
      .addOption(
        new Option(
          '--format <format>',
          'csv or ndjson (default: csv, or ndjson if the file’s name ends with .ndjson or .jsonl)',
        ).choices(['csv', 'ndjson']),
      )
      .option('--output <file>', 'write to a file (default: standard output)')
      .option('--overwrite', 'replace an existing file')
      .option('--from-page <number>', 'start at this page, without a heading', positiveInteger)
      .action(onLists((context, options: ExportOptions) => exportList(context, list, options)))
  }

  command(program, 'doctor', 'check the address, the token, the clock, the latency and the answers')
    .option('--license <license>', 'check with this license, too', notEmpty)
    .option('--gateway <url>', 'check a gateway at this address, as an app asks it: without the token')
    .option('--activate', 'also take a seat of the license, and free it again')
    .action(run(runDoctor))

  try {
    await program.parseAsync([...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  return exitCode
}

/** Runs a command and converts any error to one sentence and an exit code. Warns about mistyped variables. */
async function runCommand(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  for (const warning of mistypedVariables(terminal.env)) terminal.tell(`latchkey: ${warning}`)
  try {
    return await work()
  } catch (error) {
    if (isClosedPipe(error)) return exitCodes.ok
    const code = systemCodeOf(error)
    const system = code === '' ? null : new CommandError(`The system refuses it (${code}).`)
    const own = error instanceof CommandError ? error : system
    const stopped = new CommandError('Interrupted.', exitCodes.interrupted)
    const ending = terminal.signal.aborted ? stopped : own
    if (ending === null) throw error
    terminal.tell(`latchkey: ${ending.message}`)
    return ending.exitCode
  }
}

function linesOf(text: string): readonly string[] {
  return text.replace(/\n$/u, '').split('\n')
}
