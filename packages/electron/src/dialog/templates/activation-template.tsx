import type { VNode } from 'preact'
import type { Shown } from '../situation/shown.ts'
import type { Button, Detail, Notice, Situation } from '../situation/situation.ts'
import type { Translator } from '../situation/translator.ts'
import { AnswerTemplate, CarriedTemplate } from './offline-template.tsx'
import { Icon, Slot } from './parts.tsx'

interface Props {
  readonly shown: Shown
  readonly translator: Translator
  /** Address of the app's logo; `null` shows a drawn key. */
  readonly logo: string | null
  /** Whether the logo is gray, so that the accent lights the window instead. */
  readonly isLogoGray: boolean
}

/** Everything in the window. */
export function ActivationTemplate({ shown, translator, logo, isLogoGray }: Props): VNode {
  const { situation, announcement } = shown
  const { body, code, content, details, error, facts, isLit, notice } = situation
  return (
    <section
      class={`card${isLit ? '' : ' unlit'}${body === 'list' ? ' compact' : ''}`}
      part="card"
      lang={translator.locale}
      dir={translator.direction}
      aria-labelledby="heading"
    >
      <Header situation={situation} logo={logo} isLogoGray={isLogoGray} />
      <form class="body" part="body form" novalidate>
        {notice && <NoticeBox notice={notice} />}
        {details.length > 0 && <Facts details={details} />}
        {code && (
          <code class="selectable" part="code">
            {code}
          </code>
        )}
        {content === 'answer' ? (
          <AnswerTemplate error={error} isBusy={facts.isChecking} label={translator.text('offline.answer')} />
        ) : (
          content && <CarriedTemplate carried={content} translator={translator} />
        )}
        {body === 'form' && <Field shown={shown} translator={translator} />}
        {body === 'list' && <List shown={shown} />}
        {body !== 'none' && <HintLine shown={shown} />}
        <Actions shown={shown} />
      </form>
      <Footer shown={shown} translator={translator} />
      <p class="unseen" role="status" id="announcement">
        {announcement}
      </p>
    </section>
  )
}

/** The logo, its light and its badge; heading and sentences. */
function Header({
  situation,
  logo,
  isLogoGray,
}: Pick<Props, 'logo' | 'isLogoGray'> & { situation: Situation }): VNode {
  const { badge, heading, lead, status } = situation
  return (
    <header class="hero" part="header">
      <div class="emblem" part="emblem">
        {logo === null ? (
          <>
            <span class="glow" />
            <span class="logo" part="logo">
              <Icon name="key" />
            </span>
          </>
        ) : (
          <>
            {/* The image is in the document once, even if it is large. Its light refers to it. */}
            {isLogoGray ? (
              <span class="glow" />
            ) : (
              <svg class="glow" aria-hidden="true">
                <use href="#logo" />
              </svg>
            )}
            <svg class="logo" part="logo" aria-hidden="true">
              <image id="logo" width="100%" height="100%" href={logo} />
            </svg>
          </>
        )}
        {badge && (
          // A separate element for each badge, so that a new one animates.
          <span key={badge} class={`${badge} badge`} part="badge">
            <Icon name={badge} />
          </span>
        )}
      </div>
      <h1 id="heading" part="heading" tabindex={-1}>
        {heading}
      </h1>
      {lead !== '' && (
        <p class="lead" part="lead">
          <Lines text={lead} />
        </p>
      )}
      {status !== null && (
        <p class="status" part="status">
          {status}
        </p>
      )}
    </header>
  )
}

/** Lines of a text, each wrapped separately. The space after each is for screen readers and for copying. */
function Lines({ text }: { text: string }): VNode {
  return (
    <>
      {text.split('\n').map((line) => (
        <span class="line">{`${line} `}</span>
      ))}
    </>
  )
}

/** A message in a box of its own. */
function NoticeBox({ notice: { tone, text, address } }: { notice: Notice }): VNode {
  return (
    <p class="notice" part="notice" data-tone={tone}>
      <Icon name={tone === 'success' ? 'done' : 'error'} />
      <span>
        <Lines text={text} />
        {address && (
          <bdi class="address" dir="ltr">
            {address}
          </bdi>
        )}
      </span>
    </p>
  )
}

/** The facts of a license, line by line. */
function Facts({ details }: { details: readonly Detail[] }): VNode {
  return (
    <dl class="group facts" part="details">
      {details.map(({ label, value, isCode, seats }) => (
        <div part="detail">
          <dt>{label}</dt>
          <dd class={isCode ? 'code' : undefined}>
            {seats && (
              <span class="pips" aria-hidden="true">
                {Array.from({ length: seats.limit }, (_, seat) => (
                  <i class={seat < seats.used ? 'used' : undefined} />
                ))}
              </span>
            )}
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The license key field. Its text stays in the input, which is read on submit. */
function Field({ shown, translator: { text } }: Pick<Props, 'shown' | 'translator'>): VNode {
  const { situation, hint, token, placeholder } = shown
  const { isChecking } = situation.facts
  return (
    <>
      <label class="label" for="key" part="label">
        {text('keyLabel')}
      </label>
      <div class="box" part="field">
        {token && (
          <span class="token" part="token">
            <Icon name="clipboard" />
            <bdi dir="ltr">{token}</bdi>
            <button
              type="button"
              data-action="remove-token"
              aria-label={text('useOtherKey')}
              disabled={isChecking}
            >
              <Icon name="close" />
            </button>
          </span>
        )}
        <input
          key="key"
          id="key"
          type="text"
          dir="ltr"
          autocomplete="off"
          spellcheck={false}
          placeholder={token ? '' : placeholder}
          aria-describedby="hint"
          aria-invalid={hint.tone === 'danger'}
          readonly={isChecking}
        />
      </div>
    </>
  )
}

/** A list to choose one entry from. */
function List({ shown: { situation, chosenId } }: { shown: Shown }): VNode {
  const { rows, listName, facts } = situation
  return (
    <fieldset aria-describedby="hint" aria-disabled={facts.isChecking}>
      <legend class="unseen">{listName}</legend>
      <div class="group">
        {rows === null ? (
          <div class="loading">
            <Spinner />
          </div>
        ) : (
          <div class="rows" part="devices">
            {rows.map(({ id, label, detail, isCode }) => (
              <label key={id} class="row" part="device">
                <input type="radio" name="row" value={id} checked={id === chosenId} />
                <span>
                  <b class={isCode ? 'code' : undefined}>
                    <bdi>{label}</bdi>
                  </b>
                  <small>
                    <bdi>{detail}</bdi>
                  </small>
                </span>
              </label>
            ))}
          </div>
        )}
      </div>
    </fieldset>
  )
}

/** The hint: below the field always two lines high, below a list of devices one line. */
function HintLine({ shown }: { shown: Shown }): VNode {
  const { hint, situation } = shown
  return (
    <Slot hint={hint} isOneLine={situation.facts.kind === 'no-seat-left'}>
      {hint.button && (
        <button
          class={hint.button.action === shown.busyAction ? 'busy' : undefined}
          type="button"
          data-action={hint.button.action}
          aria-disabled={isDisabled(hint.button, shown)}
        >
          <LinkLabel button={hint.button} isBusy={hint.button.action === shown.busyAction} />
        </button>
      )}
    </Slot>
  )
}

/** The main button and the second one. The main one submits the form. */
function Actions({ shown }: { shown: Shown }): VNode | null {
  const { primary, other, isDestructive } = shown.situation
  if (primary === null) return null
  const isBusy = ({ action }: Button): boolean => action === shown.busyAction
  return (
    <div class="actions" part="buttons">
      {other && (
        <button
          class={isBusy(other) ? 'busy' : undefined}
          part="button"
          type="button"
          data-action={other.action}
          aria-disabled={isDisabled(other, shown)}
        >
          <Label button={other} isBusy={isBusy(other)} />
        </button>
      )}
      <button
        class={`${isDestructive ? 'destructive' : 'primary'}${isBusy(primary) ? ' busy' : ''}`}
        part="button primary-button"
        type="submit"
        data-action={primary.action}
        aria-disabled={isDisabled(primary, shown)}
      >
        <Label button={primary} isBusy={isBusy(primary)} />
      </button>
    </div>
  )
}

/** While an answer is pending, no button works but the one that stops waiting. Those that ask keep the focus. */
function isDisabled({ action }: Button, { situation }: Shown): boolean {
  return situation.facts.isChecking && action !== 'stopWaiting'
}

/** A button's label. What it says while busy takes up the same space, so that nothing moves when it changes. */
function Label({ button: { label, busyLabel }, isBusy }: { button: Button; isBusy: boolean }): VNode {
  if (busyLabel === undefined) return <>{label}</>
  return (
    <span class={isBusy ? 'labels' : 'labels idle'} data-reserved={isBusy ? label : busyLabel}>
      <span>
        {isBusy && <Spinner />}
        {isBusy ? busyLabel : label}
      </span>
    </span>
  )
}

/** The label of a link, or a spinner in its place. */
function LinkLabel({ button: { label }, isBusy }: { button: Button; isBusy: boolean }): VNode {
  if (!isBusy) return <>{label}</>
  return (
    <span class="labels" data-reserved={label}>
      <span>
        <Spinner />
      </span>
    </span>
  )
}

function Spinner(): VNode {
  return <span class="spinner" part="spinner" />
}

/** Help at the start, other links at the end. */
function Footer({ shown, translator: { text } }: Pick<Props, 'shown' | 'translator'>): VNode {
  const { help, footer } = shown.situation
  const link = (button: Button, isOff: boolean): VNode => (
    <button
      key={button.action}
      class={button.action === shown.busyAction ? 'link busy' : 'link'}
      part="link"
      type="button"
      data-action={button.action}
      aria-disabled={isOff}
    >
      <LinkLabel button={button} isBusy={button.action === shown.busyAction} />
    </button>
  )
  const entries = help.map((button) => link(button, false))
  return (
    <footer class="foot" part="footer">
      {entries.length > 1 ? (
        <>
          <button class="link" part="link help-button" type="button" popovertarget="help">
            {text('help')}
            <Icon name="up" />
          </button>
          <div id="help" class="menu" part="menu" popover="auto">
            {entries}
          </div>
        </>
      ) : (
        <span>{entries}</span>
      )}
      {footer.map((button) => link(button, isDisabled(button, shown)))}
    </footer>
  )
}
