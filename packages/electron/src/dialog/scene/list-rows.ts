import type { Device } from '../../shared/results.ts'
import type { SceneRow } from './scene.ts'
import type { KeyChoice } from './situation.ts'
import type { Translator } from './translator.ts'

/** Returns the devices of a license as list entries, oldest activation first. */
export function deviceRows(devices: readonly Device[], { text, date }: Translator): readonly SceneRow[] {
  return [...devices]
    .sort((one, other) => (one.activatedAt ?? '').localeCompare(other.activatedAt ?? ''))
    .map(({ id, label, activatedAt, isThisDevice }) => ({
      id,
      label,
      detail: [
        activatedAt && text('activatedOn', { date: date(activatedAt) }),
        isThisDevice && text('thisDevice'),
      ]
        .filter(Boolean)
        .join(' · '),
      isCode: false,
    }))
}

/** Returns the keys of a text as list entries. */
export function keyRows(choices: readonly KeyChoice[]): readonly SceneRow[] {
  return choices.map(({ id, maskedKey, label }) => ({ id, label: maskedKey, detail: label, isCode: true }))
}
