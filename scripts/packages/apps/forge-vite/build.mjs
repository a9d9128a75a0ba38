import { build } from 'vite'
import { vitePlugin } from './forge.config.mjs'

// What `electron-forge package` does before packaging. The packaging itself would download Electron.
vitePlugin.isProd = true
vitePlugin.setDirectories(import.meta.dirname)
const processes = await vitePlugin.configGenerator.getBuildConfigs()
const pages = await vitePlugin.configGenerator.getRendererConfig()
for (const config of [...processes, ...pages]) await build({ configFile: false, ...config })
