import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { styles } from '../src/dialog/styles/styles.ts'
import { squeezeWithEsbuild } from './squeeze-styles.ts'

const dialogFolder = path.join(import.meta.dirname, '..', 'src', 'dialog')

/** The texts of the activation window's page. */
export interface ActivationPageTexts {
  /** Its styles are in it; what it starts with is not. */
  readonly html: string
  /** A classic script; the page names it `./activation-page.js`. It loads nothing further. */
  readonly script: string
}

/** Bundles the page of the activation window into two texts. */
export async function bundleActivationPage(
  entry: string = path.join(dialogFolder, 'activation-page.ts'),
): Promise<ActivationPageTexts> {
  // Electron 25, the oldest supported, carries Chrome 114.
  const script = await bundleText(entry, { format: 'iife', target: 'chrome114' })
  const html = await readFile(path.join(dialogFolder, 'activation-page.html'), 'utf8')
  return { html: html.replace(/(?<=<template><style>)/u, () => styles.replace(/\s+/gu, ' ')), script }
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
    plugins: [squeezeWithEsbuild],
  })
  return outputFiles.map(({ text }) => text).join('')
}
