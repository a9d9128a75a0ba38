import path from 'node:path'

/** The root folder of the repository. */
export const repositoryRoot: string = path.join(import.meta.dirname, '../..')

/** Where scripts keep downloads and builds. Never tracked, safe to delete. */
export const cachePath: string = path.join(repositoryRoot, 'node_modules', '.cache', 'latchkey')

/** The folder of test reports; ignored by Git. */
export const reportFolder: string = path.join(repositoryRoot, 'test-output')

/** The example app's folder. */
export const exampleAppPath: string = path.join(repositoryRoot, 'examples', 'activation-app')
