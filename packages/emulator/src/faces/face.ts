import type { Operation } from '../operations.ts'
import type { Answer } from '../service/answer.ts'
import type { ServiceState } from '../service/service-state.ts'

/** The services whose wire format the emulator speaks. */
export const faceNames = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const

/** One of them. */
export type FaceName = (typeof faceNames)[number]

/** Whether `name` is a face. */
export function isFaceName(name: string): name is FaceName {
  return faceNames.some((face) => face === name)
}

/** One service's wire format over the emulator's licenses. */
export interface Face {
  readonly name: FaceName
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string
  readonly routes: readonly FaceRoute[]
  /** What an adapter is told besides the base URL. */
  readonly settings: Readonly<Record<string, string>>
  /** The text a user pastes for a license. */
  licenseKeyOf(licenseId: string): string
  /** The license a request is about, for faults; empty when it's about none. */
  licenseIdOf(state: ServiceState, request: FaceRequest): string
  /** Synchronous from the first check to the last write: parallel requests can't interleave. */
  answer(state: ServiceState, request: FaceRequest): Answer
  /** A path or a method that the service doesn't have. */
  refuseRoute(state: ServiceState, kind: 'unknown-path' | 'method'): Answer
}

/** One endpoint. */
export interface FaceRoute {
  /** What it comes to, by the names that faults and the log use. */
  readonly operation: Operation
  readonly method: string
  /** The whole path, with `:name` for parameters. */
  readonly path: string
}

/** A request to one of them. */
export interface FaceRequest {
  readonly operation: Operation
  readonly method: string
  readonly url: URL
  header(name: string): string | undefined
  param(name: string): string
  /** The body's text, or `null` when it was too large to be read. */
  readonly bodyText: string | null
}
