export type { Licensing } from '@latchkey/electron/main'
