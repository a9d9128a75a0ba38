import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { styles } from '../src/dialog/styles/styles.ts'
import { squeezeWithEsbuild } from './squeeze-styles.ts'

const dialogFolder = path.join(import.meta.dirname, '..', 'src', 'dialog')

/** The texts of the activation window's page. */
export interface ActivationPageTexts {
  /** Its styles are in it; what it starts with is not. */
  readonly html: string
  /** A script, which the page imports as `./activation-page.js`. It loads nothing further but the next one. */
  readonly script: string
  /** A module with everything that activates without internet, imported as `./offline-screen.js`. */
  readonly offlineScript: string
}

const offlineEntry = path.join(dialogFolder, 'offline', 'offline-screen.ts')

const leaveOutOffline: Plugin = {
  name: 'leave-out-offline',
  setup({ onResolve }) {
    onResolve({ filter: /\/offline-screen\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './offline-screen.js', external: true } : undefined,
    )
  },
}

/** Bundles the page of the activation window into three texts. */
export async function bundleActivationPage(
  entry: string = path.join(dialogFolder, 'activation-page.ts'),
): Promise<ActivationPageTexts> {
  // Electron 25, the oldest supported, carries Chrome 114.
  const [script, offlineScript] = await Promise.all([
    bundleText(entry, { format: 'iife', target: 'chrome114', plugins: [leaveOutOffline] }),
    bundleText(offlineEntry, { format: 'esm', target: 'chrome114' }),
  ])
  const html = await readFile(path.join(dialogFolder, 'activation-page.html'), 'utf8')
  return {
    html: html.replace(/(?<=<template><style>)/u, () => styles.replace(/\s+/gu, ' ')),
    script,
    offlineScript,
  }
}

/** Bundles a module with all it imports into one text. */
export async function bundleText(entry: string, options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    bundle: true,
    minify: true,
    charset: 'utf8',
    legalComments: 'eof',
    write: false,
    plugins: [...(options.plugins ?? []), squeezeWithEsbuild],
  })
  return outputFiles.map(({ text }) => text).join('')
}
