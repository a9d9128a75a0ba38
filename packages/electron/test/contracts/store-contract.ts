import { describe, expect, test } from 'vitest'
import type { StorePort } from '../../src/core/ports.ts'
import type { StoreFile } from '../doubles/memory-store.ts'

/** A store under test, and a way to get at its files from outside. */
export interface StoreUnderTest {
  readonly store: StorePort
  readonly place: (file: StoreFile, text: string) => void
  readonly setAsideTexts: () => readonly string[]
}

const record = { version: 1, sealed: 'b64:AAECAw==', nested: { list: [1, null, true], empty: {} } }
const later = { version: 1, sealed: 'b64:BBBB' }

/** What every store promises. */
export function describeStoreContract(name: string, make: () => StoreUnderTest): void {
  describe(`the store port, as ${name} keeps it`, () => {
    test('returns nothing on the first launch', () => {
      const { store } = make()
      expect(store.read()).toEqual({ newest: { found: 'nothing' }, lastGood: { found: 'nothing' } })
    })

    test('returns a copy of what was written', async () => {
      const { store } = make()
      expect(await store.write(record)).toEqual({ ok: true })
      const found = { found: 'json', json: record }
      expect(store.read()).toEqual({ newest: found, lastGood: found })
    })

    test('the last write replaces the one before completely', async () => {
      const { store } = make()
      await store.write(record)
      await store.write(later)
      const found = { found: 'json', json: later }
      expect(store.read()).toEqual({ newest: found, lastGood: found })
    })

    test.each([
      ['zero bytes', '', 'empty'],
      ['white space', ' \n', 'empty'],
      ['half a document', '{"version":2,"sealed":"b6', 'unreadable'],
      ['zeros, as a power cut leaves them', '\0\0\0\0', 'unreadable'],
      ['something else', '<!doctype html>', 'unreadable'],
    ] as const)(
      '%s in the newest file is told, and the last good copy still read',
      async (_what, text, fault) => {
        const { store, place } = make()
        await store.write(record)
        place('newest', text)
        expect(store.read()).toEqual({
          newest: { found: 'fault', fault },
          lastGood: { found: 'json', json: record },
        })
      },
    )

    test('a write reports once that the document replaced the file, while it can be read there', async () => {
      const { store } = make()
      const reports: unknown[] = []
      const onReplaced = (): void => void reports.push(store.read().newest)
      await store.write(record, () => true, onReplaced)
      await store.write(later, () => false, onReplaced)
      store.writeNow(later, () => true, onReplaced)
      store.writeNow(record, () => false, onReplaced)
      expect(reports).toEqual([record, later].map((json) => ({ found: 'json', json })))
    })

    test('damage in the copy does not touch the newest file', async () => {
      const { store, place } = make()
      await store.write(record)
      place('lastGood', '{')
      expect(store.read()).toEqual({
        newest: { found: 'json', json: record },
        lastGood: { found: 'fault', fault: 'unreadable' },
      })
    })

    test.each(['[]', 'null', '42', '"text"'])('JSON that is no record (%s) is handed on as it is', (text) => {
      const { store, place } = make()
      place('newest', text)
      expect(store.read().newest).toEqual({ found: 'json', json: JSON.parse(text) })
    })

    test('a file that is set aside is moved and kept', async () => {
      const { store, place, setAsideTexts } = make()
      await store.write(record)
      place('newest', '{"torn":')
      store.setAside()
      expect(store.read().newest).toEqual({ found: 'nothing' })
      expect(store.read().lastGood).toEqual({ found: 'json', json: record })
      expect(setAsideTexts()).toEqual(['{"torn":'])
    })

    test('several files can be set aside one after the other', async () => {
      const { store, place, setAsideTexts } = make()
      for (const text of ['{1', '{2', '{3']) {
        place('newest', text)
        store.setAside()
      }
      expect([...setAsideTexts()].sort()).toEqual(['{1', '{2', '{3'])
    })

    test('a file of another device is kept once, where that device finds it', async () => {
      const { store, setAsideTexts } = make()
      for (const sealed of ['first', 'second']) {
        await store.write({ ...record, sealed })
        store.setAside('8c1f5f0a2b3d4e6f')
      }
      expect(store.readSetAside('8c1f5f0a2b3d4e6f')).toEqual({
        found: 'json',
        json: { ...record, sealed: 'second' },
      })
      expect(store.readSetAside('0000000000000000')).toEqual({ found: 'nothing' })
      expect(setAsideTexts()).toHaveLength(1)
    })

    test('setting aside a missing file does nothing', async () => {
      const { store, setAsideTexts } = make()
      store.setAside()
      expect(setAsideTexts()).toEqual([])
      expect(await store.write(record)).toEqual({ ok: true })
    })

    test('a write over damaged files succeeds and keeps them', async () => {
      const { store, place, setAsideTexts } = make()
      place('newest', '{"torn":')
      place('lastGood', '{"torn too":')
      expect(await store.write(record)).toEqual({ ok: true })
      const found = { found: 'json', json: record }
      expect(store.read()).toEqual({ newest: found, lastGood: found })
      expect([...setAsideTexts()].sort()).toEqual(['{"torn too":', '{"torn":'])
    })
  })
}
