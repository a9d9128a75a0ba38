import type { Operation } from '../operations.ts'
import type { Answer } from '../service/answer.ts'
import type { ServiceState } from '../service/service-state.ts'

/** The services whose wire format the emulator can use. */
export const faceNames = ['commerce', 'dodo', 'keygen', 'lemon-squeezy', 'polar'] as const

/** The name of a face. */
export type FaceName = (typeof faceNames)[number]

/** Whether `name` is a face. */
export function isFaceName(name: string): name is FaceName {
  return faceNames.some((face) => face === name)
}

/** One service's wire format for the emulator's licenses. */
export interface Face {
  readonly name: FaceName
  /** Path of the base URL, without a trailing slash. */
  readonly basePath: string
  readonly routes: readonly FaceRoute[]
  /** The options an adapter needs besides the base URL. */
  readonly settings: Readonly<Record<string, string>>
  /** Returns the text a user pastes for a license. */
  licenseKeyOf(licenseId: string): string
  /** Returns the license a request is about, for faults; empty if there is none. */
  licenseIdOf(state: ServiceState, request: FaceRequest): string
  /** Answers a request. Synchronous, so that parallel requests can't interleave. */
  answer(state: ServiceState, request: FaceRequest): Answer
  /** Refuses a path or a method that the service doesn't have. */
  refuseRoute(state: ServiceState, kind: 'unknown-path' | 'method'): Answer
}

/** One endpoint. */
export interface FaceRoute {
  /** The operation, by the name that faults and the log use. */
  readonly operation: Operation
  readonly method: string
  /** The full path, with `:name` for parameters. */
  readonly path: string
}

/** A request to a face. */
export interface FaceRequest {
  readonly operation: Operation
  readonly method: string
  readonly url: URL
  header(name: string): string | undefined
  param(name: string): string
  /** The body's text; `null` if it was too large to read. */
  readonly bodyText: string | null
}
