import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { failureOf } from '../check/failure-of.ts'
import { repositoryRoot } from '../workspace/repository.ts'
import { layNodeModules } from './node-modules.ts'
import type { PackedPackage } from './packed-package.ts'

const consumerPath = path.join(import.meta.dirname, 'consumer')
/** A project's setup. */
interface Setup {
  /** The current compiler, or the last one written in JavaScript, which is still common. */
  readonly compiler: 'typescript' | 'typescript-5'
  readonly module: string
  readonly moduleResolution: string
}

// In short runs the other setups check each compiler and each kind of resolution.
const onlyInLongRuns: readonly Setup[] = [
  { compiler: 'typescript-5', module: 'ESNext', moduleResolution: 'Bundler' },
]

const setups: readonly Setup[] = [
  { compiler: 'typescript', module: 'NodeNext', moduleResolution: 'NodeNext' },
  { compiler: 'typescript', module: 'ESNext', moduleResolution: 'Bundler' },
  { compiler: 'typescript-5', module: 'NodeNext', moduleResolution: 'NodeNext' },
  ...(process.env['LATCHKEY_LONG'] === '1' ? onlyInLongRuns : []),
  // Ignores `exports`. Forge's templates use it.
  { compiler: 'typescript-5', module: 'CommonJS', moduleResolution: 'Node10' },
]

/**
 * Type-checks a project that imports every subpath of the packed packages, with the strictest settings.
 *
 * The packages are in their own `node_modules`. Their dependencies come from this repository.
 *
 * @returns what is wrong, one sentence or one compiler's output each.
 */
export async function typeFaultsFromOutside(
  folder: string,
  packages: readonly PackedPackage[],
): Promise<readonly string[]> {
  const project = await mkdtemp(path.join(folder, 'consumer-'))
  await cp(consumerPath, project, { recursive: true })
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'consumer', type: 'module' }))
  await layNodeModules(path.join(project, 'node_modules'), packages)

  const faults = await forgottenSubpaths(packages)
  for (const setup of setups) {
    const output = await compile(project, setup)
    if (output !== null) {
      faults.push(`Types do not hold with ${setup.compiler} and ${setup.moduleResolution}:\n${output}`)
    }
  }
  return faults
}

/** A new subpath must be added to the consumer. */
async function forgottenSubpaths(packages: readonly PackedPackage[]): Promise<string[]> {
  const files = await readdir(consumerPath)
  const texts = await Promise.all(files.map((file) => readFile(path.join(consumerPath, file), 'utf8')))
  const imported = texts.join('\n')
  return packages
    .flatMap(({ manifest }) =>
      Object.keys(manifest.exports ?? {}).map((key) => path.posix.join(manifest.name, key)),
    )
    .filter((subpath) => !/\.(?:json|cjs)$/u.test(subpath) && !imported.includes(`'${subpath}'`))
    .map((subpath) => `scripts/packages/consumer imports no '${subpath}'.`)
}

async function compile(project: string, { compiler, ...resolution }: Setup): Promise<string | null> {
  const tsconfig = {
    compilerOptions: {
      ...resolution,
      target: 'ES2022',
      lib: ['ES2023', 'DOM', 'DOM.Iterable'],
      types: ['node'],
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      noUncheckedSideEffectImports: true,
      // What Node10 doesn't find is imported by our dependencies from theirs.
      skipLibCheck: resolution.moduleResolution === 'Node10',
      noEmit: true,
    },
    include: ['.'],
    // Only Node distinguishes `require` from `import`.
    exclude: resolution.moduleResolution === 'NodeNext' ? ['node_modules'] : ['node_modules', '*.cts'],
  }
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = path.join(repositoryRoot, 'node_modules', compiler, 'bin', 'tsc')
  // Several threads would load the same declarations several times, and there are other checks at the same time.
  const oneThread = compiler === 'typescript' ? ['--singleThreaded'] : []
  return await failureOf([process.execPath, tsc, '-p', project, ...oneThread])
}
