import { type OfflineProblemCode, offlineProblemMessages } from '../../shared/offline-problem.ts'

/** An answer has a few thousand bytes. A file that is larger than this isn't read. */
const mostBytes = 200_000

/** The text of a file, or why it can't be an answer. */
export type AnswerFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly code: OfflineProblemCode; readonly message: string }

/** Reads a file that may contain an answer. Never rejects. */
export async function readAnswerFile(file: Blob): Promise<AnswerFile> {
  if (file.size > mostBytes) return refuse('offline-answer-too-long')
  try {
    return { ok: true, text: await file.text() }
  } catch {
    // A folder that was dropped, or a drive that was unplugged.
    return refuse('no-offline-answer')
  }
}

function refuse(code: OfflineProblemCode): AnswerFile {
  return { ok: false, code, message: offlineProblemMessages[code] }
}
