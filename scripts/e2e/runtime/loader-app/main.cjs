'use strict'

// What Electron's own default app does for `electron [-r module] <app>`: take the app from the arguments,
// give it its name, version and path, and run it. It is put into an Electron distribution that has none.

const { app } = require('electron')
const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')

/** Electron's rule: switches are skipped, `-r` takes a value, the first other argument is the app. */
function parseArguments(args) {
  const modules = []
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]
    if (arg === '-r' || arg === '--require') {
      index += 1
      if (args[index] !== undefined) modules.push(args[index])
    } else if (arg.startsWith('--app=')) {
      return { modules, target: arg.slice('--app='.length) }
    } else if (!arg.startsWith('-')) {
      return { modules, target: arg }
    }
  }
  return { modules, target: undefined }
}

function stop(message) {
  process.stderr.write(`${message}\n`)
  app.exit(64)
}

function run(target) {
  const targetPath = path.resolve(target)
  const manifestPath = path.join(targetPath, 'package.json')
  let appPath
  // A folder or an .asar has a manifest; a lone main.cjs has none.
  if (fs.existsSync(manifestPath)) {
    const manifest = JSON.parse(fs.readFileSync(manifestPath, 'utf8'))
    if (manifest.version) app.setVersion(manifest.version)
    const name = manifest.productName || manifest.name
    if (name) app.setName(name)
    app.setDesktopName(manifest.desktopName || `${app.getName()}.desktop`)
    appPath = targetPath
  }
  let mainPath
  try {
    mainPath = Module._resolveFilename(targetPath, null, true)
  } catch (error) {
    stop(`Unable to find Electron app at ${targetPath}\n\n${error.message}`)
    return
  }
  app.setAppPath(appPath || path.dirname(mainPath))
  Module._load(mainPath, Module, true)
}

const { modules, target } = parseArguments(process.argv.slice(1))
Object.defineProperty(process, 'defaultApp', { configurable: false, enumerable: true, value: true })
for (const name of modules) {
  Module._load(Module._resolveFilename(path.resolve(name), null, true), Module, true)
}
if (target === undefined) stop('Usage: electron [-r module] <app folder, main file or .asar>')
else run(target)
