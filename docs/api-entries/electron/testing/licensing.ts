export type { Licensing } from '@latchkey/electron/testing'
