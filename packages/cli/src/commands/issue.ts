import { createReadStream } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { OptionsError } from '@latchkey/commerce/options'
import {
  generateSigningKey,
  issueLicenseKey,
  type SigningKeyPair,
  signRevokedKeys,
} from '@latchkey/services/issue'
import { parse } from 'csv-parse'
import { stringify } from 'csv-stringify/sync'
import * as z from 'zod/mini'
import { CommandError, exitCodes } from '../command-error.ts'
import { type CommandContext, show } from '../settings.ts'
import { decodeText, readTextFile, systemCodeOf, type Terminal, writeError } from '../terminal.ts'

// The commands for license keys that the vendor signs. None of them needs a service.

const signingKeyVariable = 'LATCHKEY_LICENSE_SIGNING_KEY'

/** `latchkey keys generate` */
export async function generateKeys(
  context: CommandContext,
  { out }: { readonly out?: string },
): Promise<number> {
  const pair: SigningKeyPair = await generateSigningKey()
  const { signingKey, publicKey, keyId } = pair
  if (out !== undefined) {
    await writeFile(out, `${signingKey}\n`, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      throw systemCodeOf(error) === 'EEXIST'
        ? new CommandError(`${out} already exists. Choose another name, because it may be a key in use.`)
        : writeError(out, error)
    })
  }
  await show(
    context,
    out === undefined ? pair : { publicKey, keyId, out },
    ...(out === undefined ? [`Signing key  ${signingKey}`] : []),
    `Public key   ${publicKey}`,
    `Key id       ${keyId}`,
  )
  if (!context.options.json) {
    context.terminal.tell(
      `${out ?? 'The signing key'} is secret: keep it out of your app and your repository. Put the public key into the app’s publicKeys.`,
    )
  }
  return exitCodes.ok
}

/** Options of `latchkey issue`. */
export interface IssueOptions extends SigningOptions {
  readonly id?: string
  readonly name?: string
  readonly email?: string
  readonly plan?: string
  /** Separated by commas. */
  readonly features?: string
  readonly expires?: string
  /** A file with a row for each key; `-` is standard input. */
  readonly csv?: string
}

interface SigningOptions {
  readonly product: string
  readonly signingKeyFile?: string
}

/** `latchkey issue` */
export async function issueKeys(context: CommandContext, options: IssueOptions): Promise<number> {
  const { terminal } = context
  const signing = { product: options.product, signingKey: await readSigningKey(options, terminal) }
  if (options.csv !== undefined) {
    if (context.options.json)
      throw new CommandError('--csv writes CSV, and --json one document. Use one of them.')
    return issueRows(terminal, options.csv, signing)
  }
  const licenseKey = await issueLicenseKey({ ...signing, ...givenOf(options) }).catch((error: unknown) => {
    throw new CommandError(sentenceOf(error, (name) => `--${name}`))
  })
  return show(context, { licenseKey }, licenseKey)
}

const columns = ['id', 'name', 'email', 'plan', 'features', 'expires'] as const
const rowSchema = z.partialRecord(z.enum(columns), z.string())

/** Issues one key for each row, as it is read, so that the file may have any length. A bad row doesn't stop the others. */
async function issueRows(
  terminal: Terminal,
  file: string,
  signing: { readonly product: string; readonly signingKey: string },
): Promise<number> {
  const input = file === '-' ? Readable.from([await terminal.readInput()]) : createReadStream(file)
  const rows = parse({
    bom: true,
    trim: true,
    relax_column_count: true,
    columns: (names: readonly string[]) => {
      const unknown = names.filter((name) => !columns.some((known) => known === name))
      if (unknown.length === 0) return [...names]
      throw new CommandError(
        `The first line has a column that isn’t known: ${unknown.join(', ')}. The columns are ${columns.join(', ')}.`,
      )
    },
  })
  input.on('error', (error: Error) => rows.destroy(error))
  input.pipe(rows)
  let issued = 0
  let failed = 0
  try {
    for await (const row of rows) {
      const given = rowSchema.parse(row)
      const result = await issueLicenseKey({ ...signing, ...givenOf(given) }).then(
        (licenseKey) => ({ licenseKey, error: '' }),
        (error: unknown) => ({ licenseKey: '', error: sentenceOf(error, (name) => name) }),
      )
      if (issued + failed === 0) await terminal.writeData(`${columns.join(',')},license_key,error\n`)
      if (result.error === '') issued += 1
      else failed += 1
      const cells = [...columns.map((column) => given[column] ?? ''), result.licenseKey, result.error]
      await terminal.writeData(stringify([cells], { escape_formulas: true }))
    }
  } catch (error) {
    if (error instanceof CommandError || systemCodeOf(error) === 'EPIPE') throw error
    const code = systemCodeOf(error)
    const isCsv = code.startsWith('CSV_')
    throw new CommandError(
      isCsv
        ? `The file isn’t CSV that can be read (${code}).`
        : `The file of --csv cannot be read (${code}).`,
    )
  }
  terminal.tell(`Issued ${issued} keys.${failed === 0 ? '' : ` ${failed} rows have an error.`}`)
  return failed === 0 ? exitCodes.ok : exitCodes.negative
}

/** An empty text is one that isn't given. */
function givenOf({
  id,
  name,
  email,
  plan,
  features = '',
  expires,
}: Omit<IssueOptions, keyof SigningOptions>) {
  return {
    id: id || undefined,
    name: name || undefined,
    email: email || undefined,
    plan: plan || undefined,
    features: features.split(',').flatMap((feature) => feature.trim() || []),
    expiresAt: expires || undefined,
  }
}

/** Options of `latchkey revoke`. */
export interface RevokeOptions extends SigningOptions {
  readonly list: string
}

const listSchema = z.object({ product: z.string(), ids: z.array(z.string()) })

/** `latchkey revoke <key...>` */
export async function revokeKeys(
  context: CommandContext,
  keys: readonly string[],
  options: RevokeOptions,
): Promise<number> {
  const { list, product } = options
  const signingKey = await readSigningKey(options, context.terminal)
  const before = await readFile(list).then(decodeText, (error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return null
    throw new CommandError(`${list} cannot be read (${systemCodeOf(error)}).`)
  })
  const known = before === null ? { product, ids: [] } : parseList(before)
  if (known?.product !== product) {
    const found = known === null ? 'no list of revoked keys' : `the list of ${known.product}`
    throw new CommandError(`${list} has ${found}. Choose another name with --list.`)
  }
  const signed = await signRevokedKeys({ signingKey, product, keys: [...known.ids, ...keys] }).catch(
    (error: unknown) => {
      throw new CommandError(sentenceOf(error, (name) => `--${name}`))
    },
  )
  const temporary = `${list}.new`
  await writeFile(temporary, `${JSON.stringify(signed, null, 2)}\n`)
    .then(() => rename(temporary, list))
    .catch((error: unknown) => {
      throw writeError(list, error)
    })
  const [added, total] = [signed.ids.length - known.ids.length, signed.ids.length]
  const told = `Added ${added} to ${list}, which has ${total} now. Publish it at the address in revoked.url.`
  const shopId = keys.find((key) => /^(?:pi|cs|txn)_/u.test(key))
  const hint = `If createIssuer issued the key, ${shopId} isn’t its ID: pass the one that deliver got.`
  return show(context, { added, total, list }, shopId === undefined ? told : `${told}\n${hint}`)
}

function parseList(text: string): z.infer<typeof listSchema> | null {
  try {
    return listSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** @throws {CommandError} No message shows any of it. */
async function readSigningKey(
  { signingKeyFile }: Pick<SigningOptions, 'signingKeyFile'>,
  { env }: Terminal,
): Promise<string> {
  const setting = env[signingKeyVariable]?.trim() ?? ''
  if (signingKeyFile === undefined && setting !== '') return setting
  if (signingKeyFile === undefined) {
    throw new CommandError(
      `Set ${signingKeyVariable}, or pass --signing-key-file. Create a key with: latchkey keys generate.`,
    )
  }
  const text = await readTextFile(
    signingKeyFile,
    'The file of --signing-key-file cannot be read. Pass the path of a file, not the key, and check its permissions.',
  )
  return text.trim()
}

const optionNames: Readonly<Record<string, string>> = { expiresAt: 'expires' }

/** @param nameOf how a setting is named in the sentence. */
function sentenceOf(error: unknown, nameOf: (option: string) => string): string {
  if (!(error instanceof OptionsError)) {
    if (!(error instanceof TypeError)) throw error
    return 'The signing key is damaged. Copy the whole key again.'
  }
  return error.problems
    .map(({ option, problem }) => {
      const [name = ''] = option.split(/[.[]/u)
      if (name === 'signingKey') return `The signing key ${problem}.`
      return name === '' ? `The key ${problem}.` : `${nameOf(optionNames[name] ?? name)} ${problem}.`
    })
    .join(' ')
}
