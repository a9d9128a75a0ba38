import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { SituationKind } from '../../src/dialog/situation/decide-situation.ts'
import { situations } from './stage/situations.ts'

const docs = path.join(import.meta.dirname, '../../../../docs')

test('the guide shows every situation, light and dark, and no picture of something else', () => {
  const wanted = Object.keys(situations).flatMap((name) => [`${name}-dark.png`, `${name}-light.png`])
  expect(readdirSync(path.join(docs, 'public/activation-screen')).sort()).toEqual(wanted.sort())
  const guide = readFileSync(path.join(docs, 'activation-screen.md'), 'utf8')
  for (const file of wanted) expect(guide).toContain(`activation-screen/${file}`)
})

test('each kind of situation is among them, except the blank page before the first state arrives', () => {
  // The compiler reports a kind that is missing here.
  const kinds: Record<SituationKind, boolean> = {
    starting: false,
    misconfigured: true,
    'enter-key': true,
    'key-trouble': true,
    'choose-key': true,
    'no-network': true,
    'no-seat-left': true,
    activated: true,
    deactivate: true,
    offline: true,
    'offline-request': true,
    'offline-answer': true,
    'offline-release': true,
    expired: true,
    'not-covered': true,
    suspended: true,
    inactive: true,
    moved: true,
    grace: true,
    'grace-over': true,
    trial: true,
    'trial-over': true,
    'storage-trouble': true,
  }
  const pictured = new Set<string>(Object.values(situations).map(({ kind }) => kind))
  expect(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, pictured.has(kind)]))).toEqual(kinds)
})
