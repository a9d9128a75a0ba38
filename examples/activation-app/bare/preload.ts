import { exposeNotebook } from '../src/preload/expose-notebook.ts'

exposeNotebook()
