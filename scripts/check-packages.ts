import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { type PackedPackage, packPackages } from './packages/packed-package.ts'
import { repositoryRoot } from './workspace/repository.ts'
import { failureOf } from './workspace/run-tool.ts'

// `pnpm packages`: packs every package as it would be published, and checks what users install: its files, exports,
// types and dependencies. Everything else about them is tested by apps that install them.

const modules = path.join(repositoryRoot, 'node_modules')
const publint = [process.execPath, path.join(modules, 'publint', 'src', 'cli.js')]
const attw = [process.execPath, path.join(modules, '@arethetypeswrong', 'cli', 'dist', 'index.js')]
const consumerPath = path.join(import.meta.dirname, 'packages', 'consumer')

/** The checks of one tarball: its exports resolve, and its types match the loaded modules. */
function checksOf({ tarball, manifest }: PackedPackage): readonly (readonly string[])[] {
  const typesCheck = [...attw, tarball]
  return [
    [...publint, 'run', tarball, '--strict'],
    // The ready preload script is only used by its path. It isn't imported, so it has no types.
    [...typesCheck, '--profile', 'esm-only', '--exclude-entrypoints', 'preload.cjs'],
    // What a main process or a preload script without a bundler may load by `require`.
    ...(manifest.name === '@latchkey/electron'
      ? [[...typesCheck, '--profile', 'node16', '--entrypoints', '.', 'main', 'preload', 'updates']]
      : []),
  ]
}

/** Files for building or testing a package are of no use to its users. */
const strayFile =
  /(?:^|\/)(?:tests?|bench|src|scripts|node_modules)\/|\.test\.|\.map$|tsconfig|(?<!\.d)\.[cm]?ts$/u

async function fileFaults({ folder, files }: PackedPackage): Promise<readonly string[]> {
  const faults = ['LICENSE', 'README.md'].filter((file) => !files.includes(file)).map((file) => `no ${file}`)
  for (const file of files) {
    if (strayFile.test(file)) faults.push(`${file} does not belong in it`)
    const text = await readFile(path.join(folder, file), 'utf8')
    if (text.includes(repositoryRoot) || text.includes('sourceMappingURL')) {
      faults.push(`${file} contains a path of this machine or the address of a source map`)
    }
  }
  return faults
}

/** Finds dependencies that would be installed with a package although nothing in it imports them. */
async function dependencyFaults({ folder, files, manifest }: PackedPackage): Promise<readonly string[]> {
  const code = files.filter((file) => /\.c?js$/u.test(file))
  const texts = await Promise.all(code.map((file) => readFile(path.join(folder, file), 'utf8')))
  const imports = texts.flatMap((text) => [
    ...text.matchAll(/\b(?:from|import|require)\s*\(?\s*["'`]((?:@[^/"'`]+\/)?[^/"'`]+)/gu),
  ])
  const imported = new Set(imports.map(([, name]) => name))
  return Object.keys(manifest.dependencies ?? {})
    .filter((name) => !imported.has(name))
    .map((name) => `nothing in it imports its dependency ${name}`)
}

/** A project's setup. */
interface Setup {
  /** The current compiler, or the last one written in JavaScript, which is still common. */
  readonly compiler: 'typescript' | 'typescript-5'
  readonly module: string
  readonly moduleResolution: string
}

// Short runs check each compiler, and each kind of resolution that reads `exports`.
const onlyInLongRuns: readonly Setup[] = [
  { compiler: 'typescript-5', module: 'ESNext', moduleResolution: 'Bundler' },
  // Ignores `exports`. Forge's templates use it.
  { compiler: 'typescript-5', module: 'CommonJS', moduleResolution: 'Node10' },
]

const setups: readonly Setup[] = [
  { compiler: 'typescript', module: 'NodeNext', moduleResolution: 'NodeNext' },
  { compiler: 'typescript', module: 'ESNext', moduleResolution: 'Bundler' },
  { compiler: 'typescript-5', module: 'NodeNext', moduleResolution: 'NodeNext' },
  ...(process.env['LATCHKEY_LONG'] === '1' ? onlyInLongRuns : []),
]

/**
 * Type-checks a project that imports every subpath of the packed packages, with the strictest settings.
 *
 * The packages are in their own `node_modules`. Their dependencies come from this repository.
 *
 * @returns what is wrong, one sentence or one compiler's output each.
 */
async function typeFaultsFromOutside(
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

/** Creates `node_modules` without a registry: the packed packages, and their dependencies from this repository. */
async function layNodeModules(modules: string, packages: readonly PackedPackage[]): Promise<void> {
  const linked = new Map<string, string>()
  for (const { folder, manifest } of packages) {
    await mkdir(path.join(modules, path.dirname(manifest.name)), { recursive: true })
    await cp(folder, path.join(modules, manifest.name), { recursive: true })
    const source = path.join(repositoryRoot, 'packages', path.basename(manifest.name), 'node_modules')
    for (const name of Object.keys(manifest.dependencies ?? {})) linked.set(name, path.join(source, name))
  }
  for (const name of ['electron', '@types/node']) {
    linked.set(name, path.join(repositoryRoot, 'node_modules', name))
  }
  for (const { manifest } of packages) linked.delete(manifest.name)
  for (const [name, target] of linked) {
    await mkdir(path.dirname(path.join(modules, name)), { recursive: true })
    await symlink(target, path.join(modules, name), 'junction')
  }
}

function tell(name: string, faults: readonly string[]): void {
  console.log(`${faults.length === 0 ? 'good' : 'BAD '}  ${name}`)
  for (const fault of faults) console.log(fault.replace(/^/gmu, '      '))
  if (faults.length > 0) process.exitCode = 1
}

const root = await mkdtemp(path.join(os.tmpdir(), 'latchkey-packages-'))
try {
  const packages = await packPackages(root)
  for (const packed of packages) {
    const failures = await Promise.all(checksOf(packed).map(failureOf))
    const faults = [
      ...(await fileFaults(packed)),
      ...(await dependencyFaults(packed)),
      ...failures.filter((failure) => failure !== null),
    ]
    tell(path.basename(packed.tarball), faults)
  }
  tell('types, seen from outside', await typeFaultsFromOutside(root, packages))
} finally {
  await rm(root, { recursive: true, force: true })
}
