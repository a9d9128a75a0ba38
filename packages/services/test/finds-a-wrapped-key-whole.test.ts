import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLicenseKey, type LicenseKeyForm } from '../src/index.ts'

const hex = (digits: number, letters = 'abcdef'): fc.Arbitrary<string> =>
  characters(`0123456789${letters}`, digits)

function characters(alphabet: string, length: number): fc.Arbitrary<string> {
  return fc
    .array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
    .map((chosen) => chosen.join(''))
}

const uuid = fc
  .tuple(...[8, 4, 4, 4, 12].map((digits) => hex(digits)))
  .chain((groups) => fc.constantFrom(groups.join('-'), groups.join('-').toUpperCase()))
const prefixedUuid = fc
  .tuple(fc.constantFrom('INKWELL', 'PRO', 'INK2', 'BÜCHER', 'ЧЕРНИЛА', 'A-B'), uuid)
  .map(([prefix, id]) => `${prefix}-${id.toUpperCase()}`)
const keygenKey = fc
  .array(hex(6, 'ABCDEF'), { minLength: 5, maxLength: 5 })
  .map((groups) => `${groups.join('-')}-V3`)
const bytes = (length: number): fc.Arbitrary<string> =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((data) => Buffer.from(data).toString('base64').replaceAll('+', '-').replaceAll('/', '_'))
/** Signatures of Ed25519 and RSA, and of ECDSA, which begin with their length. */
const signature = fc.oneof(
  bytes(64),
  bytes(256),
  fc
    .tuple(fc.integer({ min: 68, max: 70 }), fc.uint8Array({ minLength: 70, maxLength: 70 }))
    .map(([length, data]) =>
      Buffer.from([0x30, length, ...data.slice(0, length)])
        .toString('base64')
        .replaceAll('+', '-')
        .replaceAll('/', '_'),
    ),
)
const signedKey = fc
  .tuple(fc.integer({ min: 10, max: 120 }).chain(bytes), signature)
  .map(([data, signed]) => `key/${data}.${signed}`)
const groupedKey = fc
  .tuple(fc.integer({ min: 3, max: 6 }), fc.integer({ min: 4, max: 6 }))
  .chain(([groups, length]) =>
    fc.array(characters('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', length), {
      minLength: groups,
      maxLength: groups,
    }),
  )
  .chain((groups) => fc.constantFrom(groups.join('-'), `PRO-${groups.join('-')}`))
  .filter((key) => /\d/u.test(key) && /[A-Z]/u.test(key))

const forms: readonly (readonly [string, LicenseKeyForm, fc.Arbitrary<string>])[] = [
  ['a UUID', 'uuid', uuid],
  ['a UUID', 'prefixed-uuid', uuid],
  ['a UUID', 'any', uuid],
  ['a UUID with a prefix', 'prefixed-uuid', prefixedUuid],
  ['a UUID with a prefix', 'any', prefixedUuid],
  ['a key of Keygen', 'keygen', keygenKey],
  ['a key of Keygen', 'any', keygenKey],
  ['a signed key', 'keygen', signedKey],
  ['a signed key', 'any', signedKey],
  ['a grouped key', 'keygen', groupedKey],
  ['a grouped key', 'any', groupedKey],
]

const breaks = [
  ...[' ', '  ', '\t', '\u00a0', '\u202f', '\u3000', '\u2028', '\n', '\r\n', '\r', '\n  ', ' \n'],
  ...['\n> ', '\r\n>> ', '\n> > ', '=\n', '=\r\n', '= \r\n', '\0', '\u200b\n'],
]
const around: readonly (readonly [string, string])[] = [
  ['', ''],
  ['License key: ', ''],
  ['Your key is ', '. Thanks!'],
  ['> Your key:\n> ', '\n>\n> Bye'],
  ['Hello,\n\n', '\n\nBye'],
  ['„', '“'],
]

/** A break at some places of a key, in a text around it. As quoted-printable, each `=` of the key is encoded. */
function textsWith(key: string): fc.Arbitrary<string> {
  return fc
    .record({
      places: fc.array(fc.integer({ min: 1, max: key.length - 1 }), { minLength: 1, maxLength: 4 }),
      column: fc.option(fc.integer({ min: 10, max: 76 })),
      brokenBy: fc.constantFrom(...breaks),
      mail: fc.constantFrom(...around),
    })
    .map(({ places, column, brokenBy, mail: [before, after] }) => {
      const isBreak = (index: number): boolean =>
        column === null ? places.includes(index) : index > 0 && (index + before.length) % column === 0
      const isEncoded = brokenBy.startsWith('=')
      const broken = Array.from(key, (character, index) => {
        const shown = isEncoded && character === '=' ? '=3D' : character
        return isBreak(index) ? brokenBy + shown : shown
      }).join('')
      return `${before}${broken}${after}`
    })
}

describe.each(forms)('%s (%s)', (_name, form, keys) => {
  it('is found whole or refused, however it is wrapped', () => {
    fc.assert(
      fc.property(
        keys.chain((key) => fc.tuple(fc.constant(key), textsWith(key))),
        ([key, text]) => {
          const found = findLicenseKey(text, form)
          if (found.ok) expect(found.licenseKey).toBe(key)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('is found whole where a mail program breaks its lines', () => {
    fc.assert(
      fc.property(keys, fc.constantFrom('\n', '\r\n> ', '=\r\n', '\u00a0'), (key, brokenBy) => {
        // At a hyphen, as mail programs prefer. A signed key may have none.
        const at = key.startsWith('key/') ? 76 : key.indexOf('-') + 1
        const escaped = brokenBy.startsWith('=') ? (part: string) => part.replaceAll('=', '=3D') : String
        const text = `License key: ${escaped(key.slice(0, at))}${brokenBy}${escaped(key.slice(at))}`
        expect(findLicenseKey(text, form)).toEqual({ ok: true, licenseKey: key })
      }),
      { numRuns: 300 },
    )
  })

  it('is never taken for a key when its end is missing', () => {
    fc.assert(
      fc.property(
        keys,
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom(...around),
        (key, missing, [before, after]) => {
          // Nothing tells how many groups a key in a form of the vendor's own has.
          if (/^(?!key\/)(?:PRO-)?[\dA-Z]{4,6}(?:-[\dA-Z]{4,6}){2,5}$/u.test(key)) return
          const isSignature = key.startsWith('key/')
          const found = findLicenseKey(
            before + key.slice(0, isSignature ? -missing : -Math.min(missing, 2)) + after,
            form,
          )
          expect(found).toEqual({ ok: false, code: 'incomplete-license-key' })
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('a wrapped key from a public report', () => {
  it.each([
    ['key/AAAA.BBBB\nCCCC==', 'key/AAAA.BBBBCCCC=='],
    ['key/AAAA\nA1AA-BBBBBBBB\nAA.BBBB==', 'key/AAAAA1AA-BBBBBBBBAA.BBBB=='],
    ['> key/AAAA.BB=\n> BB=3D=3D', 'key/AAAA.BBBB=='],
    ['PRO-4B 11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['PRO-4B\u00a011-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['PRO-4B\u202f11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['Key: PRO-4B\n11-C0DE-77AA', 'PRO-4B11-C0DE-77AA'],
    ['ＰＲＯ－４Ｂ１１－Ｃ０ＤＥ－７７ＡＡ', 'PRO-4B11-C0DE-77AA'],
    ['PRO\u30004B11'.replace('\u3000', '―').concat('–C0DE‒77AA'), 'PRO-4B11-C0DE-77AA'],
  ])('is found whole in %j', (text, licenseKey) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: true, licenseKey })
    }
  })

  it.each([
    'key/AAAA.BBBBCCCC',
    'key/AAAA',
    'key/eyJhY2NvdW50Ijp7ImlkIjoiMSJ9fQ==.c2ln',
    'Your key: key/AAAA1AA-BBBBBBBB',
  ])('is refused when a part is missing, as in %j', (text) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: false, code: 'incomplete-license-key' })
    }
  })

  it.each([
    ['PRO-4B11-C0DE-77A\u0430', '\u0430'],
    ['PRO-\u0421\u041e-C0DE-77AA', '\u0421'],
    ['PROー4B11ーC0DEー77AA', 'ー'],
    ['PROｰ4B11ｰC0DEｰ77AA', 'ー'],
    ['PRO-4B\u000011-C0DE-77AA', '\0'],
    ['PRO-4B11-C0DE-77AA\ufffd', '\ufffd'],
    ['Your key: PRO-4B11-C0DE-77AA\ufffd Bye', '\ufffd'],
  ])('names the character that does not belong in %j', (text, character) => {
    for (const form of ['keygen', 'any'] as const) {
      expect(findLicenseKey(text, form)).toEqual({ ok: false, code: 'foreign-character', character })
    }
  })

  it('names a foreign letter in a UUID', () => {
    const text = '1f0\u04306c1e-5b7d-4c39-9e2f-0d7a3b5c9c1d'
    const found = { ok: false, code: 'foreign-character', character: '\u0430' }
    expect(findLicenseKey(text, 'uuid')).toEqual(found)
    expect(findLicenseKey(`INKWELL-${text}`, 'prefixed-uuid')).toEqual(found)
  })
})
