export { commerce } from './commerce.ts'
export type { CommerceOptions } from './options.ts'
export { readError } from './read-error.ts'
