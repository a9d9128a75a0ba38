import { describe, expect, test } from 'vitest'
import type { SealTier, SecretsPort } from '../../src/core/ports.ts'

const texts = ['', '{"license":"1f0a"}', 'ümlaut, emoji 🔑, quotes "\' and\nlines', 'x'.repeat(100_000)]

/** What every keychain promises, at the tier this one works at. */
export function describeSecretsContract(name: string, tier: SealTier, make: () => SecretsPort): void {
  describe(`the secrets port at tier ${tier}, as ${name} keeps it`, () => {
    test.each(texts.map((text) => [text.slice(0, 20), text] as const))(
      'opens a text it sealed: %j',
      async (_start, text) => {
        const secrets = make()
        const { tier: sealedAt, sealed } = await secrets.seal(text)
        expect(sealedAt).toBe(tier)
        expect(await secrets.open(sealedAt, sealed)).toBe(text)
      },
    )

    if (tier === 'plain') {
      test('a plain seal is the text itself', async () => {
        expect(await make().seal('as it is')).toEqual({ tier: 'plain', sealed: 'as it is' })
      })
    } else {
      test('a sealed text doesn’t reveal its content', async () => {
        const { sealed } = await make().seal('a very secret text')
        expect(sealed).not.toContain('secret')
      })

      test.each(['', 'nonsense', '{"not":"sealed"}', 'djEwAAAA'])(
        'answers null to what it never sealed: %j',
        async (text) => {
          expect(await make().open(tier, text)).toBeNull()
        },
      )
    }

    test('authenticates text and device with 64 hex digits', () => {
      const secrets = make()
      const tag = secrets.authenticate('0123456789abcdef', 'text')
      expect(tag).toMatch(/^[0-9a-f]{64}$/)
      expect(make().authenticate('0123456789abcdef', 'text')).toBe(tag)
      expect(secrets.authenticate('0123456789abcdee', 'text')).not.toBe(tag)
      expect(secrets.authenticate('0123456789abcdef', 'texts')).not.toBe(tag)
      expect(secrets.authenticate('0123456789abcdeft', 'ext')).not.toBe(tag)
    })
  })
}
