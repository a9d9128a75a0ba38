import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { situations } from './stage/situations.ts'

const docs = path.join(import.meta.dirname, '../../../../docs')

test('the guide shows every situation, light and dark, and no picture of something else', () => {
  const wanted = Object.keys(situations).flatMap((name) => [`${name}-dark.png`, `${name}-light.png`])
  expect(readdirSync(path.join(docs, 'public/activation-screen')).sort()).toEqual(wanted.sort())
  const guide = readFileSync(path.join(docs, 'activation-screen.md'), 'utf8')
  for (const file of wanted) expect(guide).toContain(`activation-screen/${file}`)
})

test('the guide shows the way without internet from right to left, too', () => {
  const names = Object.keys(situations).filter((name) => name.startsWith('offline-'))
  const wanted = names.flatMap((name) => [`${name}-dark.png`, `${name}-light.png`])
  expect(readdirSync(path.join(docs, 'public/activation-screen-ar')).sort()).toEqual(wanted.sort())
  const guide = readFileSync(path.join(docs, 'activation-screen.md'), 'utf8')
  for (const file of wanted) expect(guide).toContain(`activation-screen-ar/${file}`)
})
