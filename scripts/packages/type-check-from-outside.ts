import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runCommand } from '../check/run-command.ts'
import { repositoryRoot } from '../repository.ts'
import { layNodeModules } from './node-modules.ts'
import type { PackedPackage } from './packed-package.ts'

const consumerPath = path.join(import.meta.dirname, 'consumer')
/** The compiler of today, and the last one written in JavaScript, which many still have. */
const compilers = ['typescript', 'typescript-5'] as const
const resolutions = [
  { module: 'NodeNext', moduleResolution: 'NodeNext' },
  { module: 'ESNext', moduleResolution: 'Bundler' },
] as const

/**
 * Type-checks a project that imports every subpath of the packed packages, as strictly as a project can be.
 *
 * The packages lie in a `node_modules` of their own; what they depend on is taken from this repository.
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
  for (const compiler of compilers) {
    for (const resolution of resolutions) {
      const title = `${compiler}, module resolution ${resolution.moduleResolution}`
      const output = await compile(project, compiler, resolution)
      if (output !== '') faults.push(`Types do not hold from outside with ${title}:\n${output}`)
    }
  }
  return faults
}

/** Whoever adds a subpath has to add it to the consumer. */
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

async function compile(
  project: string,
  compiler: (typeof compilers)[number],
  resolution: (typeof resolutions)[number],
): Promise<string> {
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
      skipLibCheck: false,
      noEmit: true,
    },
    include: ['.'],
    // A bundler takes no `require` of types.
    exclude: resolution.moduleResolution === 'Bundler' ? ['node_modules', '*.cts'] : ['node_modules'],
  }
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
  const tsc = path.join(repositoryRoot, 'node_modules', compiler, 'bin', 'tsc')
  const lines: string[] = []
  const passed = await runCommand([process.execPath, tsc, '-p', project], {}, (line) => lines.push(line))
  return passed ? '' : lines.join('\n')
}
