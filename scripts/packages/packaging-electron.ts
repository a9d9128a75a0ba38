import { cp, open, readdir, readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import { executableInDistribution } from '../e2e/runtime/electron-distribution.ts'

/** Copies the tests' Electron for a packager, without the app that starts other apps. */
export async function copyElectron(target: string): Promise<void> {
  const { executablePath } = electronFromEnvironment()
  const distribution = executablePath.slice(0, -executableInDistribution(process.platform).length)
  const loader = path.join(distribution, 'resources', 'app')
  await cp(distribution, target, { recursive: true, filter: (source) => source !== loader })
}

/** Zips a folder without compression, as Electron Forge needs its Electron. */
export async function zipFolder(folder: string, target: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const central: Buffer[] = []
  let offset = 0
  await using zip = await open(target, 'w')
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = path.join(entry.parentPath, entry.name)
    const content = await readFile(file)
    const name = Buffer.from(path.relative(folder, file).split(path.sep).join('/'))
    const { mode } = await stat(file)
    const sizes = sizesOf(content, name)
    const local = Buffer.concat([Buffer.from('504b0304', 'hex'), sizes, name])
    const external = Buffer.alloc(14)
    external.writeUInt32LE((mode << 16) >>> 0, 6)
    external.writeUInt32LE(offset, 10)
    // Marked as created on Unix, so that the file modes apply.
    central.push(Buffer.from('504b01021403', 'hex'), sizes, external, name)
    await zip.write(local)
    await zip.write(content)
    offset += local.length + content.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(central.length / 4, 8)
  end.writeUInt16LE(central.length / 4, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  await zip.write(directory)
  await zip.write(end)
}

/** The fields that both headers of an entry have, from the required version to the length of its extra field. */
function sizesOf(content: Buffer, name: Buffer): Buffer {
  const fields = Buffer.alloc(26)
  fields.writeUInt16LE(20, 0)
  fields.writeUInt16LE(0x21, 8)
  fields.writeUInt32LE(crc32(content), 10)
  fields.writeUInt32LE(content.length, 14)
  fields.writeUInt32LE(content.length, 18)
  fields.writeUInt16LE(name.length, 22)
  return fields
}
