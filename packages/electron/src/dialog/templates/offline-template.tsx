import type { VNode } from 'preact'
import type { Carried, Notice, OfflineAction } from '../situation/situation.ts'
import type { Translator } from '../situation/translator.ts'
import { Slot } from './parts.tsx'

/** What is carried to another device: as a QR code, and what else can be done with it. */
export function CarriedTemplate({
  carried,
  translator: { text },
}: {
  carried: Carried
  translator: Translator
}): VNode {
  const { address, code, codeName, copyLabel, maskedKey, name } = carried
  return (
    <>
      {code && (
        <svg
          class="scan"
          part="code"
          role="img"
          aria-label={codeName}
          viewBox={`0 0 ${code.size} ${code.size}`}
        >
          <path d={code.path} />
        </svg>
      )}
      <dl class="group facts" part="details">
        {maskedKey !== null && <PlainFact name={text('keyLabel')} value={maskedKey} />}
        <PlainFact name={text('offline.address')} value={address} />
        <div part="detail">
          <dt>{name}</dt>
          <dd class="ways">
            <Way action="offline-save-file" label={text('offline.saveFile')} />
            <Way action="offline-copy-text" label={copyLabel} />
          </dd>
        </div>
      </dl>
    </>
  )
}

/** A line of the facts, with a value that is read from left to right in every language. */
function PlainFact({ name, value }: { name: string; value: string }): VNode {
  return (
    <div part="detail">
      <dt>{name}</dt>
      <dd>
        <bdi dir="ltr">{value}</bdi>
      </dd>
    </div>
  )
}

function Way({ action, label }: { action: OfflineAction; label: string }): VNode {
  return (
    <button class="way" part="link" type="button" data-action={action}>
      {label}
    </button>
  )
}

/** The field for the answer, and the line below it. */
export function AnswerTemplate({
  error,
  isBusy,
  label,
}: {
  error: Notice | null
  isBusy: boolean
  label: string
}): VNode {
  return (
    <>
      <label class="label" for="answer" part="label">
        {label}
      </label>
      <div class="box answer" part="field">
        <textarea
          id="answer"
          dir="ltr"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="hint"
          aria-invalid={error?.tone === 'danger'}
          readonly={isBusy}
        />
      </div>
      <Slot hint={{ tone: error?.tone ?? null, said: error?.text ?? '' }} />
    </>
  )
}
