import { text } from 'node:stream/consumers'
import { subjectProblem } from './check/commit-subject.ts'

// Reads commit subjects from standard input, one per line, and fails if one of them breaks the rules in CONTRIBUTING.md.

const subjects = (await text(process.stdin)).split('\n').filter((line) => line !== '')
const problems = subjects.flatMap((subject) => subjectProblem(subject) ?? [])
for (const problem of problems) console.error(problem)
console.log(`${subjects.length} commit subjects, ${problems.length} of them to change`)
process.exitCode = problems.length > 0 ? 1 : 0
