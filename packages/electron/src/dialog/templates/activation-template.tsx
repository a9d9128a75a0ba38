import type { VNode } from 'preact'
import encodeQR from 'qr'
import type { Shown } from '../situation/shown.ts'
import type { Badge, Button, ButtonAction, Detail, Notice, Situation } from '../situation/situation.ts'
import type { Translator } from '../situation/translator.ts'

/** What a user does in the window. */
export interface UserEvents {
  /** A button was clicked, or the form was submitted. @param action what the button does */
  readonly onAction: (action: ButtonAction) => void
  /** The user edited the field. */
  readonly onInput: () => void
  /** A text or a file was pasted or dropped. */
  readonly onTake: (event: Event, data: DataTransfer | null) => void
  /** The field received the focus. */
  readonly onFieldFocus: () => void
  /** An entry of a list was chosen, by its id. */
  readonly onChoose: (id: string) => void
  /** The logo can't be shown. */
  readonly onLogoError: () => void
}

interface Props {
  readonly shown: Shown
  readonly translator: Translator
  /** Address of the app's logo; `null` shows a drawn key. */
  readonly logo: string | null
  /** Whether the logo is gray, so that the accent lights the window instead. */
  readonly isLogoGray: boolean
  readonly on: UserEvents
}

/** Everything in the window. */
export function ActivationTemplate(props: Props): VNode {
  const { shown, translator, on } = props
  const { situation, announcement } = shown
  const { body, code, details, facts, isLit, notice, primary, scan } = situation
  const onSubmit = (event: Event): void => {
    event.preventDefault()
    if (primary && !facts.isChecking) on.onAction(primary.action)
  }
  return (
    <section
      class={`card${isLit ? '' : ' unlit'}${body === 'list' ? ' compact' : ''}`}
      part="card"
      lang={translator.locale}
      dir={translator.direction}
      aria-labelledby="heading"
      onPaste={(event) => on.onTake(event, event.clipboardData)}
      onDrop={(event) => on.onTake(event, event.dataTransfer)}
      onDragOver={(event) => facts.kind.startsWith('offline') && event.preventDefault()}
    >
      <Header {...props} />
      <form class="body" part="body form" novalidate onSubmit={onSubmit}>
        {notice && <NoticeBox notice={notice} />}
        {scan && <QrCode scan={scan} />}
        {details.length > 0 && <Facts {...props} />}
        {code && (
          <code class="selectable" part="code">
            {code}
          </code>
        )}
        {body === 'form' && <Field {...props} />}
        {body === 'answer' && <AnswerField {...props} />}
        {body === 'list' && <List {...props} />}
        {body !== 'none' && <HintLine {...props} />}
        <Actions {...props} />
      </form>
      <Footer {...props} />
      <p class="unseen" role="status" id="announcement">
        {announcement}
      </p>
    </section>
  )
}

/** The logo, its light and its badge; heading and sentences. */
function Header({ shown, logo, isLogoGray, on }: Props): VNode {
  const { badge, heading, lead, status } = shown.situation
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
              <image id="logo" width="100%" height="100%" href={logo} onError={on.onLogoError} />
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

/** An address as a QR code, for a phone. */
function QrCode({ scan: { address, name } }: { scan: NonNullable<Situation['scan']> }): VNode {
  const rows = encodeQR(address, 'raw', { ecc: 'low', border: 4 })
  const dots = rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
  return (
    <svg class="scan" part="code" role="img" aria-label={name} viewBox={`0 0 ${rows.length} ${rows.length}`}>
      <path d={dots.join('')} />
    </svg>
  )
}

/** The facts of a license or of a request, line by line. */
function Facts(props: Props): VNode {
  return (
    <dl class="group facts" part="details">
      {props.shown.situation.details.map((detail) => (
        <div part="detail">
          <dt>{detail.label}</dt>
          <Fact {...props} detail={detail} />
        </div>
      ))}
    </dl>
  )
}

function Fact({ detail: { value, isCode, seats, ways }, ...props }: Props & { detail: Detail }): VNode {
  if (ways) {
    const buttons = ways.map((button) => <ActionButton {...props} button={button} kind="way" />)
    return <dd class="ways">{buttons}</dd>
  }
  return (
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
  )
}

/** The license key field. Its text stays in the input, which is read on submit. */
function Field({ shown, translator: { text }, on }: Props): VNode {
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
              onClick={() => on.onAction('remove-token')}
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
          onInput={on.onInput}
          onFocus={on.onFieldFocus}
        />
      </div>
    </>
  )
}

/** The field for the answer to an offline request. */
function AnswerField({ shown: { hint, situation }, translator: { text } }: Props): VNode {
  return (
    <>
      <label class="label" for="answer" part="label">
        {text('offline.answer')}
      </label>
      <div class="box answer" part="field">
        <textarea
          id="answer"
          dir="ltr"
          autocomplete="off"
          spellcheck={false}
          aria-describedby="hint"
          aria-invalid={hint.tone === 'danger'}
          readonly={situation.facts.isChecking}
        />
      </div>
    </>
  )
}

/** A list to choose one entry from. */
function List({ shown: { situation, chosenId }, on }: Props): VNode {
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
                <input
                  type="radio"
                  name="row"
                  value={id}
                  checked={id === chosenId}
                  onChange={() => on.onChoose(id)}
                />
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
function HintLine(props: Props): VNode {
  const { hint, situation } = props.shown
  const { tone, said, button } = hint
  return (
    <p
      id="hint"
      class={situation.facts.kind === 'no-seat-left' ? 'slot one' : 'slot'}
      part={tone === 'danger' ? 'error' : tone === 'success' ? 'found-key' : 'hint'}
      data-tone={tone}
    >
      {tone && <Icon name={tone === 'success' ? 'done' : 'error'} />}
      <span>
        {said}
        {button && [' ', <ActionButton {...props} button={button} kind="hint" />]}
      </span>
    </p>
  )
}

/** The main button and the second one. The main one submits the form. */
function Actions(props: Props): VNode | null {
  const { primary, other, isDestructive } = props.shown.situation
  if (primary === null) return null
  return (
    <div class="actions" part="buttons">
      {other && <ActionButton {...props} button={other} kind="other" />}
      <ActionButton {...props} button={primary} kind={isDestructive ? 'destructive' : 'primary'} />
    </div>
  )
}

type ButtonKind = 'primary' | 'destructive' | 'other' | 'link' | 'way' | 'hint'

const buttonParts: Readonly<Record<ButtonKind, string | undefined>> = {
  primary: 'button primary-button',
  destructive: 'button primary-button',
  other: 'button',
  link: 'link',
  way: 'link',
  hint: undefined,
}

/** A button, by its place. While an answer is pending, only the one that asked keeps its colors and none works. */
function ActionButton({
  button: { action, label, busyLabel },
  kind,
  isOff,
  shown,
  on,
}: Props & { button: Button; kind: ButtonKind; isOff?: boolean }): VNode {
  const isMain = kind === 'primary' || kind === 'destructive'
  const isBusy = action === shown.busyAction
  // There is always a way to stop waiting.
  const isDisabled = isOff ?? (shown.situation.facts.isChecking && action !== 'stopWaiting')
  const names = [kind === 'other' || kind === 'hint' ? '' : kind, isBusy ? 'busy' : ''].filter(Boolean)
  // A link has no room for other words.
  const whileBusy = isMain || kind === 'other' ? busyLabel : isBusy ? '' : undefined
  return (
    <button
      class={names.join(' ') || undefined}
      part={buttonParts[kind]}
      type={isMain ? 'submit' : 'button'}
      data-action={action}
      aria-disabled={isDisabled}
      onClick={isMain || isDisabled ? undefined : () => on.onAction(action)}
    >
      {whileBusy === undefined ? (
        label
      ) : (
        // The other label takes up its space unseen, so that nothing moves when it changes.
        <span class={isBusy ? 'labels' : 'labels idle'} data-reserved={isBusy ? label : whileBusy}>
          <span>
            {isBusy && <Spinner />}
            {isBusy ? whileBusy : label}
          </span>
        </span>
      )}
    </button>
  )
}

function Spinner(): VNode {
  return <span class="spinner" part="spinner" />
}

/** Help at the start, other links at the end. */
function Footer(props: Props): VNode {
  const { help, footer } = props.shown.situation
  const entries = help.map((button) => (
    <ActionButton {...props} key={button.action} button={button} kind="link" isOff={false} />
  ))
  return (
    <footer class="foot" part="footer">
      {entries.length > 1 ? (
        <>
          <button class="link" part="link help-button" type="button" popovertarget="help">
            {props.translator.text('help')}
            <Icon name="up" />
          </button>
          <div id="help" class="menu" part="menu" popover="auto" onBeforeToggle={placeMenu}>
            {entries}
          </div>
        </>
      ) : (
        <span>{entries}</span>
      )}
      {footer.map((button) => (
        <ActionButton {...props} key={button.action} button={button} kind="link" />
      ))}
    </footer>
  )
}

/** Positions a menu above its button. Popovers know only the viewport: anchors came with Chrome 125. */
function placeMenu({ currentTarget: menu }: { readonly currentTarget: HTMLElement }): void {
  const { left, right, top } = menu.previousElementSibling?.getBoundingClientRect() ?? new DOMRect()
  const { clientWidth, clientHeight } = document.documentElement
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl'
  menu.style.insetInlineStart = `${isRightToLeft ? clientWidth - right : left}px`
  menu.style.bottom = `${clientHeight - top + 4}px`
}

// Paths in a square of 16. An arc that ends where it starts is a circle.
type IconName = Badge | 'key' | 'clipboard' | 'close' | 'error' | 'up'

const paths: Readonly<Record<IconName, string>> = {
  done: 'm3.2 8.4 3.1 3.1 6.5-7',
  offline:
    'm2.5 2.5 11 11M3.7 6.2A3.5 3.5 0 0 0 4.8 13h5.3M13.9 11a2.9 2.9 0 0 0-2.3-4.5 4.2 4.2 0 0 0-4.2-3.2',
  clock: 'M8 2a6 6 0 1 0 .01 0M8 4.8V8l2 1.4',
  warning: 'M8 3.8v5M8 12.1h0',
  stopped: 'M6 4.5v7M10 4.5v7',
  devices: 'M2.7 10.7V4.3h10.6v6.4zM6 13.3h4',
  error: 'M8 1.9a6.1 6.1 0 1 0 .01 0M8 5v3.4M8 11h0',
  key: 'M5.3 7.3a3 3 0 1 0 .01 0M7.5 8.1l5.3-5.3M10.3 5.3l2 2',
  clipboard: 'M5.5 3.2H3.6v10.6h8.8V3.2h-1.9M6 2h4v2.6H6z',
  close: 'm4.5 4.5 7 7M11.5 4.5l-7 7',
  up: 'm4 10 4-4 4 4',
}

/** An icon in the color of its text, hidden from screen readers. */
function Icon({ name }: { readonly name: IconName }): VNode {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
