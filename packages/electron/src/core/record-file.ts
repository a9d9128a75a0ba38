import * as z from 'zod/mini'
import type { StorageTier } from '../shared/licensing-state.ts'
import type { Problem, ProblemCode } from '../shared/problem.ts'
import type {
  DeviceIdentity,
  JsonObject,
  LicensingPorts,
  SealedText,
  SecretsPort,
  StoredFile,
  StoreFault,
} from './ports.ts'
import { describeProblem, nameError } from './problem.ts'
import { emptyRecord, type LicenseRecord, machineOf, parseRecord } from './record.ts'

/** The content to write: the record with the latest mark, and the device it belongs to. */
export interface RecordContent {
  readonly record: LicenseRecord
  readonly device: DeviceIdentity | null
}

/** What one file holds: an empty record if it can't be opened. */
interface Opened extends RecordContent {
  readonly tier: StorageTier
  /** Whether the next write may use the keychain. */
  readonly usesKeychain: boolean
  readonly problem: ProblemCode | null
}

/** The record found on disk, and how to handle it. */
export interface LoadedRecord extends Opened {
  /** Whether the newest file must be kept under another name before the next write. */
  readonly mustSetAside: boolean
  /** The newest record as found; `null` if none could be read. */
  readonly newest: unknown
}

/** The record's file. Other processes of this app may write it too. No call throws or rejects. */
export interface RecordFile {
  /** How the record is protected on disk. */
  readonly tier: StorageTier
  /** Why the last write failed; `null` once one succeeded. */
  readonly problem: Problem | null
  /** Whether the file has a record that can't be opened now, but perhaps at the next start. */
  readonly isSealedAway: boolean
  load(): Promise<LoadedRecord>
  /** Loads this device's record, which another device set aside when it used the folder; `null` if none opens. */
  loadSetAside(machine: string): Promise<LoadedRecord | null>
  /** Notes a loaded record, which is used from now on. */
  use(loaded: LoadedRecord): void
  /** Notes a loaded record that can't be used. The next write keeps it under another name. */
  keep(loaded: LoadedRecord): void
  /** Makes the next write keep the existing file under another name, because it belongs to another device. */
  setAsideNext(): void
  /** Whether the file has another record than the one last noted or written. A missing or damaged file doesn't count. */
  isChanged(): boolean
  /** Whether the file that was read or written is gone, and its copy: someone deleted the app's data. */
  hasVanished(): boolean
  /** @returns `changed` if another process wrote a record since the last one was noted. Then nothing was written. */
  write(content: RecordContent): Promise<'written' | 'changed' | 'failed'>
  /** Writes synchronously, because the process is about to exit. Does nothing if another process wrote meanwhile. */
  writeNow(content: RecordContent): void
}

const newestVersion = 1

const fingerprintSchema = z.string().check(z.regex(/^[0-9a-f]{16}$/u))
const deviceSchema = z.object({
  fingerprint: fingerprintSchema,
  label: z.string(),
  source: z.enum(['machine-id', 'override', 'random']),
  randomId: z.nullable(z.string()),
  machine: z.optional(fingerprintSchema),
})

const fileSchema = z.object({
  version: z.literal(newestVersion),
  device: z.nullable(deviceSchema),
  tier: z.enum(['keychain', 'basic', 'plain']),
  /** `false` once a record couldn't be opened because its keychain was gone: a keychain that comes and goes would be gone again. */
  usesKeychain: z.boolean(),
  /** The record as JSON text: encrypted, or unchanged if `tier` is `plain`. */
  sealed: z.string(),
  /** Hex HMAC over device, tier and sealed text. Reveals edits if nothing is encrypted. */
  mac: z.string(),
})

/** Identifies the app, only to explain why a record can't be opened. Not used for trust. */
const markedSchema = z.object({ app: z.string() })
const versionedSchema = z.object({ version: z.int() })

const faultCodes: Readonly<Record<StoreFault, ProblemCode>> = {
  empty: 'store-empty',
  unreadable: 'store-unreadable',
  // The file is neither lost nor damaged. Reading is retried, and nothing replaces it in the meantime.
  'out-of-reach': 'unexpected',
}

/** Creates the record's file. Nothing is read or written yet. */
export function createRecordFile(
  ports: Pick<LicensingPorts, 'store' | 'secrets' | 'clock' | 'logger'>,
): RecordFile {
  const { store, secrets, clock, logger } = ports
  let tier: StorageTier = 'plain'
  let problem: Problem | null = null
  let mustSetAside = false
  let isSealedAway = false
  let usesKeychain = true
  let hasLostKeychain = false
  let known: unknown = null

  async function load(): Promise<LoadedRecord> {
    const stored = store.read()
    const { newest } = stored
    const first = await open(newest, secrets)
    const found = {
      newest: newest.found === 'json' ? newest.json : null,
      mustSetAside: first !== null && first.problem !== null,
    }
    if (first?.problem === null) return { ...first, ...found }
    // A file from a newer version isn't damaged, and its copy would only be older.
    const second = first?.problem === 'store-newer-version' ? null : await open(stored.lastGood, secrets)
    if (second?.problem === null) return { ...second, ...found, problem: 'store-restored' }
    return { ...(first ?? second ?? notOpened(null)), ...found }
  }

  async function loadSetAside(machine: string): Promise<LoadedRecord | null> {
    const own = await open(store.readSetAside(machine), secrets)
    const isOwn = own?.problem === null && own.device !== null && machineOf(own.device) === machine
    return isOwn ? { ...own, mustSetAside: true, newest: known } : null
  }

  function note({ newest, problem: code }: LoadedRecord): void {
    known = newest
    isSealedAway = mayOpenLater(code)
    hasLostKeychain = code === 'store-undecryptable'
  }

  function isChanged(): boolean {
    const { newest } = store.read()
    return newest.found === 'json' && JSON.stringify(newest.json) !== JSON.stringify(known)
  }

  function hasVanished(): boolean {
    const { newest, lastGood } = store.read()
    return known !== null && newest.found === 'nothing' && lastGood.found === 'nothing'
  }

  function failed(code: ProblemCode, name: string = code): 'failed' {
    tier = 'memory'
    problem = describeProblem({ code }, clock.now())
    logger.error(`The license record could not be saved (${name})`)
    return 'failed'
  }

  /** Prepares an attempt to replace the file. There may be several, while another program holds the file. */
  function mayReplace(device: DeviceIdentity | null): boolean {
    if (isChanged()) return false
    if (mustSetAside) {
      const before = fileSchema.safeParse(known).data?.device
      const owner = before == null ? undefined : machineOf(before)
      store.setAside(device !== null && machineOf(device) === owner ? undefined : owner)
    }
    return true
  }

  /** Notes that a record has replaced the file. */
  function noteReplaced(json: JsonObject): void {
    mustSetAside = false
    known = json
  }

  async function write(content: RecordContent): Promise<'written' | 'changed' | 'failed'> {
    const text = JSON.stringify(content.record)
    const sealed = usesKeychain ? await secrets.seal(text) : plain(text)
    const isLost = hasLostKeychain && sealed.tier !== 'keychain' && secrets.isAnswerAwaited?.() !== true
    const json = fileOf(sealed, content.device, usesKeychain && !isLost, secrets)
    let isOther = false
    const written = await store.write(
      json,
      () => {
        // A process that doesn't use the lock may have written while this record was sealed.
        isOther = !mayReplace(content.device)
        return !isOther
      },
      () => noteReplaced(json),
    )
    if (isOther) return 'changed'
    if (!written.ok) return failed(written.code)
    usesKeychain &&= !isLost
    hasLostKeychain = false
    isSealedAway = false
    tier = sealed.tier
    problem = null
    return 'written'
  }

  return {
    get tier() {
      return tier
    },
    get problem() {
      return problem
    },
    get isSealedAway() {
      return isSealedAway
    },
    // If reading fails unexpectedly, the launch continues, and nothing on disk is discarded.
    load: () => load().catch(() => ({ ...notOpened('unexpected'), mustSetAside: true, newest: null })),
    loadSetAside,
    use(found) {
      note(found)
      tier = found.tier
      usesKeychain = found.usesKeychain
      mustSetAside = found.mustSetAside
    },
    keep(found) {
      note(found)
      mustSetAside = true
    },
    setAsideNext() {
      mustSetAside = true
      isSealedAway = false
      // The lost keychain was another computer's.
      usesKeychain = true
      hasLostKeychain = false
    },
    isChanged,
    hasVanished,
    write: (content) => write(content).catch((error: unknown) => failed('unexpected', nameError(error))),
    writeNow({ record, device }) {
      const text = JSON.stringify(record)
      const sealed = usesKeychain ? secrets.sealNow(text) : plain(text)
      if (sealed === null) return
      const json = fileOf(sealed, device, usesKeychain, secrets)
      store.writeNow(
        json,
        () => mayReplace(device),
        () => noteReplaced(json),
      )
    },
  }
}

/** Whether nothing on disk could be opened, not even the last good copy. */
export function hasNotOpened({ problem }: LoadedRecord): boolean {
  return problem !== null && problem !== 'store-restored'
}

/** Whether a record with this problem may open at the next start: in a newer app, or when the keychain returns. */
function mayOpenLater(problem: ProblemCode | null): boolean {
  return problem === 'store-newer-version' || problem === 'store-undecryptable' || problem === 'unexpected'
}

/** Opens what one file holds; `null` if there is none. Parses everything, and trusts only what it can open. */
async function open(stored: StoredFile, secrets: SecretsPort): Promise<Opened | null> {
  if (stored.found === 'nothing') return null
  if (stored.found === 'fault') return notOpened(faultCodes[stored.fault])
  const parsed = fileSchema.safeParse(stored.json)
  if (!parsed.success) {
    const versioned = versionedSchema.safeParse(stored.json)
    const isNewer = versioned.success && versioned.data.version > newestVersion
    return notOpened(isNewer ? 'store-newer-version' : 'store-unreadable')
  }
  const { device, tier, usesKeychain, sealed, mac } = parsed.data
  if (mac !== macOf({ tier, sealed }, device, usesKeychain, secrets)) return notOpened('store-edited')
  const text = await secrets.open(tier, sealed)
  if (text === null) return notOpened('store-undecryptable', device)
  const record = parseRecord(text)
  return record === null
    ? notOpened('store-unreadable', device)
    : { record, device, tier, usesKeychain, problem: null }
}

function notOpened(problem: ProblemCode | null, device: DeviceIdentity | null = null): Opened {
  return { record: emptyRecord, device, tier: 'plain', usesKeychain: true, problem }
}

function plain(text: string): SealedText {
  return { tier: 'plain', sealed: text }
}

function fileOf(
  sealed: SealedText,
  device: DeviceIdentity | null,
  usesKeychain: boolean,
  secrets: SecretsPort,
): JsonObject {
  const { tier, sealed: text } = sealed
  const { machine, ...identity } = device ?? {}
  return {
    version: newestVersion,
    app: appMark(secrets),
    device: device && { ...identity, ...(machine !== undefined && { machine }) },
    tier,
    usesKeychain,
    sealed: text,
    mac: macOf(sealed, device, usesKeychain, secrets),
  }
}

/** Authenticates everything but the label, because the computer's name may change. */
function macOf(
  { tier, sealed }: SealedText,
  device: DeviceIdentity | null,
  usesKeychain: boolean,
  secrets: SecretsPort,
): string {
  const identity = device && [device.fingerprint, device.source, device.randomId, device.machine]
  const text = JSON.stringify([newestVersion, tier, usesKeychain, identity, sealed])
  return secrets.authenticate(device?.fingerprint ?? '', text)
}

function appMark(secrets: SecretsPort): string {
  return secrets.authenticate('', 'the mark of this app').slice(0, 16)
}

/** Whether a record was written under another app ID, so that it can't be opened. */
export function isOfAnotherApp(json: unknown, secrets: SecretsPort): boolean {
  const marked = markedSchema.safeParse(json)
  return marked.success && marked.data.app !== appMark(secrets)
}
