export { type MovesOptions, moves } from '@latchkey/gateway'
