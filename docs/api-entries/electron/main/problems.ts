export { type Problem, type ProblemCode, problemMessages } from '@latchkey/electron/main'
