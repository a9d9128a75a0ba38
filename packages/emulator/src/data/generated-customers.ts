import { createSeededRandom } from '../seeded-random.ts'
import type { Customer } from '../wire.ts'
import { generatedList, type ItemList } from './item-list.ts'

/** Distinguishes customers from other data generated from the same seed. */
const stream = 1

// Includes names that often cause bugs: quotes, commas, a formula, other scripts.
const firstNames = [
  'Ada',
  'Bo',
  'Chloé',
  'Dmitri',
  'Elif',
  'Fatima',
  'Grace',
  'Håkon',
  'Ines',
  'Jürgen',
  'Kofi',
  'Linnéa',
  'Mateo',
  'Nia',
  'Ömer',
  'Priya',
  'Quinn "Q"',
  'Rosa',
  'Søren',
  'Tomás',
  'Uma',
  'Việt',
  'Wanjiru',
  '晓明',
]
const lastNames = [
  'Adeyemi',
  'Björnsdóttir',
  'Castillo',
  'Dubois',
  "O'Brien",
  'Fischer',
  'García-López',
  'Haddad',
  'Ivanova',
  'Jensen',
  'Kowalczyk',
  'Lee',
  'Mensah',
  'Nguyễn',
  'Okafor, Jr.',
  'Patel',
  '=Quist',
  'Rossi',
  'Šimić',
  'Tanaka',
  '王',
]
const domains = ['example.com', 'example.org', 'example.net']

/** Any number of customers, generated when they are read. */
export function generatedCustomers(seed: number, count: number): ItemList<Customer> {
  return generatedList(count, (index) => customerAt(seed, index))
}

function customerAt(seed: number, index: number): Customer {
  const random = createSeededRandom(seed, stream, index)
  return {
    id: random.uuid(),
    name: `${random.pick(firstNames)} ${random.pick(lastNames)}`,
    email: `customer.${index + 1}@${random.pick(domains)}`,
  }
}
