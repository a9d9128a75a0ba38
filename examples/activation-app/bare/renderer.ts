import { startNotebook } from '../src/renderer/start-notebook.ts'

startNotebook()
