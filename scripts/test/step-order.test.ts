import { describe, expect, test } from 'vitest'
import { runSteps, type Step } from '../check/step.ts'

function step(name: string, after: string[] = [], slots = 1): Step {
  return { name, command: [], after, slots }
}

/** Runs steps that end on command, and logs what happens. */
function rehearsal(steps: readonly Step[], slots: number) {
  const finishers = new Map<string, (passed: boolean) => void>()
  const diary: string[] = []
  const done = runSteps(steps, slots, ({ name }) => {
    diary.push(name)
    return new Promise((resolve) => finishers.set(name, resolve))
  })
  const finish = async (name: string, passed = true) => {
    finishers.get(name)?.(passed)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { diary, done, finish }
}

describe('the steps of a test run', () => {
  test('run in parallel up to the number of slots', async () => {
    const { diary, done, finish } = rehearsal([step('a'), step('b'), step('c')], 2)
    expect(diary).toEqual(['a', 'b'])
    await finish('b')
    expect(diary).toEqual(['a', 'b', 'c'])
    await finish('a')
    await finish('c')
    expect((await done).map(({ status }) => status)).toEqual(['passed', 'passed', 'passed'])
  })

  test('wait for the steps they depend on, and a wide one waits until no other runs', async () => {
    const { diary, done, finish } = rehearsal([step('build'), step('e2e', ['build'], 2), step('lint')], 2)
    expect(diary).toEqual(['build', 'lint'])
    await finish('build')
    expect(diary).toEqual(['build', 'lint'])
    await finish('lint')
    expect(diary).toEqual(['build', 'lint', 'e2e'])
    await finish('e2e')
    await done
  })

  test('don’t run after a failed dependency, and then count as failed', async () => {
    const { diary, done, finish } = rehearsal(
      [step('build'), step('types', ['build']), step('e2e', ['types']), step('lint')],
      1,
    )
    await finish('build', false)
    await finish('lint')
    expect(await done).toEqual([
      expect.objectContaining({ name: 'build', status: 'failed' }),
      expect.objectContaining({ name: 'types', status: 'not-run', because: 'build did not pass' }),
      expect.objectContaining({ name: 'e2e', status: 'not-run', because: 'types did not pass' }),
      expect.objectContaining({ name: 'lint', status: 'passed' }),
    ])
    expect(diary).toEqual(['build', 'lint'])
  })

  test('that wait for each other are reported instead of hanging', async () => {
    const { done } = rehearsal([step('a', ['b']), step('b', ['a'])], 2)
    await expect(done).rejects.toThrow('a, b')
  })
})
