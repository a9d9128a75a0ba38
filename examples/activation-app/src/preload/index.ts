import { exposeLicensing } from '@latchkey/electron/preload'
import { exposeNotebook } from './expose-notebook.ts'

exposeLicensing()
exposeNotebook()
