import { mutantLists } from './mutation/named/mutant-lists.ts'
import { createMutantSandbox, type MutantOutcome } from './mutation/named/mutant-sandbox.ts'

// `pnpm mutants [package …] [--sample <n>]`: makes deliberate mistakes, one at a time, in a copy of the repository. At
// least one test must fail for each.

const words = process.argv.slice(2)
const sampleAt = words.indexOf('--sample')
const sample = sampleAt === -1 ? Number.POSITIVE_INFINITY : Number(words[sampleAt + 1])
const names = words.filter((_, index) => sampleAt === -1 || (index !== sampleAt && index !== sampleAt + 1))
const chosen = Object.entries(mutantLists).filter(([name]) => names.length === 0 || names.includes(name))
if (chosen.length === 0 || Number.isNaN(sample)) {
  console.error(`Usage: pnpm mutants [${Object.keys(mutantLists).join(' | ')}] [--sample <number>]`)
  process.exit(64)
}

const sandbox = await createMutantSandbox()
const outcomes: MutantOutcome[] = []
try {
  for (const [group, mutants] of chosen) {
    for (const mutant of someOf(mutants)) {
      const outcome = await sandbox.try(mutant)
      outcomes.push(outcome)
      const verdict = outcome.isKilled ? 'killed  ' : 'SURVIVED'
      console.log(`${verdict}  ${group}: ${mutant.name}${outcome.killedBy ? `  (${outcome.killedBy})` : ''}`)
    }
  }
} finally {
  await sandbox.remove()
}
const survivors = outcomes.filter(({ isKilled }) => !isKilled)
console.log(`${outcomes.length - survivors.length} of ${outcomes.length} killed`)
process.exitCode = survivors.some(({ mutant }) => mutant.survivesBecause === undefined) ? 1 : 0

/** Returns items evenly spread over the list, so that a short run includes every kind. */
function someOf<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.ceil(all.length / sample))
  return all.filter((_, index) => index % step === 0)
}
