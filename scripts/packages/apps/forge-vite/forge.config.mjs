import { VitePlugin } from '@electron-forge/plugin-vite'

/** The template's own settings for Vite. */
export const vitePlugin = new VitePlugin({
  build: [
    { entry: 'src/main.ts', config: 'vite.config.ts', target: 'main' },
    { entry: 'src/preload.ts', config: 'vite.config.ts', target: 'preload' },
  ],
  renderer: [{ name: 'main_window', config: 'vite.config.ts' }],
})
