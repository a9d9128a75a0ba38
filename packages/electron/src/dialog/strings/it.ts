import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'many' | 'other'> = {
  starting: 'Un momento…',
  enterHeading: 'Attiva {app}',
  enterLead: 'Incolla il codice di licenza dall’e-mail di acquisto.',
  keyLabel: 'Codice di licenza',
  activate: 'Attiva',
  activateOffline: 'Attiva senza internet',
  checking: 'Verifica in corso…',
  working: 'Un momento…',
  keyFound: 'Codice trovato.',
  useClipboard: 'Codice trovato negli appunti.',
  fromLink: 'Questo codice proviene dal link che hai aperto.',
  replacesLicense: 'Attivandolo sostituisci la licenza attuale.',
  chooseKeyHeading: 'Qual è il tuo codice di licenza?',
  chooseKeyLead: 'Il testo incollato contiene più codici.',
  chooseKey: 'Scegli il codice da attivare.',
  takingLong: 'Ci vuole più tempo del solito.',
  stopWaiting: 'Non attendere oltre',

  activatedHeading: '{app} è attivato',
  activatedLead: 'Tutto pronto, anche offline.',
  endsSoonLead: 'La tua licenza termina il {date}.',
  devicesInUse: 'Dispositivi in uso',
  usedOfLimit: '{used} di {limit}',
  validUntil: 'Valida fino al',
  updatesUntil: 'Aggiornamenti fino al',
  noEndDate: 'Senza scadenza',
  continue: 'Continua',

  deactivate: 'Disattiva questo dispositivo',
  deactivateHeading: 'Disattivare questo dispositivo?',
  deactivateLead:
    'In questo modo si libera un posto per un altro computer.\nPer usare di nuovo {app} qui, inserisci il codice di licenza.',
  deactivateNow: 'Disattiva',
  deactivated: 'Questo dispositivo è disattivato e il suo posto è libero.',
  seatKept:
    'Questo dispositivo è disattivato, ma il suo posto nel servizio licenze precedente è ancora occupato.',
  cancel: 'Annulla',

  noNetworkHeading: 'Nessuna connessione',
  noAnswerHeading: 'Ancora nessuna risposta',
  noNetworkLead: 'Il servizio licenze non è raggiungibile.',
  nextTry: 'Nuovo tentativo tra {time}',
  worksMeanwhile: 'Nel frattempo puoi continuare a usare {app}.',
  keyIsKept: 'Il codice è salvato e l’attivazione continuerà automaticamente.',
  tryNow: 'Riprova ora',
  changeKey: 'Cambia codice',
  useOtherKey: 'Usa un altro codice',

  noSeatHeading: 'Nessun posto libero',
  noSeatLead: 'Libera un dispositivo per attivare {app} su questo.',
  seatsInUse: '{used} di {limit} posti in uso',
  deviceList: 'Dispositivi che usano questa licenza',
  activatedOn: 'Attivato il {date}',
  thisDevice: 'Questo dispositivo',
  release: 'Libera e attiva qui',
  chooseDevice: 'Scegli il dispositivo da liberare.',
  loadingDevices: 'Caricamento dei dispositivi…',
  devicesUnavailable: 'Non è stato possibile elencare i dispositivi.',
  buySeats: 'Acquista altri posti',
  account: 'Account cliente',

  expiredHeading: 'La tua licenza è scaduta',
  expiredLead: 'È terminata il {date}.\nRinnovala per continuare a usare {app}.',
  renew: 'Rinnova la licenza',
  checkAgain: 'Verifica di nuovo',
  notCoveredHeading: 'Questa versione non è inclusa',
  notCoveredLead:
    'La tua licenza copre le versioni uscite fino al {date}.\nRinnovala o torna a una versione precedente.',
  coveredVersion: 'Scarica una versione precedente',
  suspendedHeading: 'La tua licenza è sospesa',
  inactiveHeading: 'La tua licenza non è attiva',
  contactSupport: 'Contatta l’assistenza.',
  reportedStatus: 'Stato segnalato',
  movedHeading: 'Questo dispositivo è stato liberato',
  activateAgain: 'Attiva di nuovo',

  graceHeading: 'Lavoro offline',
  graceLead: {
    one: 'Il servizio licenze non è raggiungibile.\n{app} funziona ancora per {count} giorno.',
    many: 'Il servizio licenze non è raggiungibile.\n{app} funziona ancora per {count} giorni.',
    other: 'Il servizio licenze non è raggiungibile.\n{app} funziona ancora per {count} giorni.',
  },
  renewalLead: {
    one: 'La licenza è terminata e non è stato possibile verificarne il rinnovo.\n{app} funziona ancora per {count} giorno.',
    many: 'La licenza è terminata e non è stato possibile verificarne il rinnovo.\n{app} funziona ancora per {count} giorni.',
    other:
      'La licenza è terminata e non è stato possibile verificarne il rinnovo.\n{app} funziona ancora per {count} giorni.',
  },
  graceOverHeading: 'Connettiti a Internet',
  graceOverLead:
    'La tua licenza non viene verificata da un po’.\nConnettiti e verifica di nuovo. Il codice non ti servirà.',

  trialHeading: {
    one: 'Ancora {count} giorno di prova',
    many: 'Ancora {count} giorni di prova',
    other: 'Ancora {count} giorni di prova',
  },
  trialLead: 'Tutto funziona fino al {date}.',
  trialHint: 'Hai un codice di licenza? Incollalo qui in qualsiasi momento.',
  continueTrial: 'Continua la prova',
  trialOverHeading: 'La prova è terminata',
  trialOverLead: 'Inserisci un codice di licenza per continuare a usare {app}.',

  storageHeading: 'Attiva di nuovo',
  notSavedHeading: 'Non è stato possibile salvare la licenza',
  refusedHeading: 'L’attivazione è stata rifiutata',
  misconfiguredHeading: 'Le licenze non sono configurate correttamente',
  misconfiguredLead: 'Non dipende da te.\nInvia questo codice allo sviluppatore di {app}:',
  copyCode: 'Copia i dettagli',

  buy: 'Acquista una licenza',
  help: 'Aiuto',
  support: 'Contatta l’assistenza',
  copyDetails: 'Copia i dettagli per l’assistenza',
  copied: 'Copiato',

  problems: {
    'empty-text': 'Non hai inserito nulla. Incolla il codice di licenza dall’e-mail di acquisto.',
    'no-license-key': 'In questo testo non c’è un codice di licenza. Copialo dall’e-mail di acquisto.',
    'several-license-keys':
      'Questo testo contiene più codici di licenza. Incolla solo quello che vuoi usare.',
    'text-too-long': 'Questo testo è troppo lungo per un codice di licenza. Incolla solo il codice.',
    'license-not-found':
      'Non abbiamo trovato questo codice di licenza. Controlla di averlo copiato per intero.',
    'wrong-product':
      'Questa chiave di licenza è di un altro prodotto. Usa la chiave di licenza acquistata per questa app.',
    'license-expired': 'Questa licenza è scaduta. Rinnovala per continuare a usare l’app.',
    'license-suspended': 'Questa licenza è sospesa. Contatta l’assistenza.',
    'license-inactive': 'Questa licenza non è attiva. Contatta l’assistenza.',
    'no-seat-left':
      'Questa licenza è in uso su tutti i dispositivi che consente. Liberane uno per usarla qui.',
    'activation-refused': 'Il codice è stato rifiutato. La licenza potrebbe essere scaduta o sospesa.',
    'activation-paused':
      'Questa attivazione è iniziata più di un giorno fa. Inserisci di nuovo la chiave di licenza per completarla.',
    'activation-unconfirmed':
      'La connessione si è interrotta prima della conferma dell’attivazione. Riprova per completarla.',
    'license-of-other-service':
      'Questa app è passata a un altro servizio di licenze. Inserisci il nuovo codice di licenza.',
    'seat-may-be-taken':
      'La connessione si è interrotta prima della conferma dell’attivazione, che forse occupa già un posto. Riprova, oppure libera prima questo dispositivo dal tuo account cliente.',
    'test-license-key':
      'Questo codice di licenza serve solo per i test. Usa il codice dell’e-mail di acquisto.',
    'moved-to-another-device':
      'La licenza è stata probabilmente trasferita su un altro dispositivo. Attiva di nuovo per usarla qui.',
    unconfirmed:
      'Il servizio licenze ha dato una risposta poco chiara su questo dispositivo. Verrà interrogato di nuovo.',
    'adoption-unavailable':
      'Il servizio licenze non ha elencato i dispositivi, quindi non è stato possibile riutilizzare un’attivazione precedente di questo.',
    'devices-not-listed':
      'Il servizio di licenze non mostra i dispositivi nell’app. Libera un dispositivo dal tuo account cliente.',
    'device-not-found': 'Questo dispositivo non è più nella licenza. Aggiorna l’elenco.',
    'deactivation-pending':
      'Questo dispositivo è disattivato. Il suo posto si libererà appena il servizio licenze sarà raggiungibile.',
    offline: 'Il servizio licenze non è raggiungibile. Controlla la connessione a Internet.',
    timeout: 'Il servizio licenze non ha risposto in tempo. Riprova tra un momento.',
    'service-error': 'Il servizio licenze ha problemi. Riprova più tardi.',
    'rate-limited': 'Troppe richieste. Riprova più tardi.',
    'incomplete-answer': 'La risposta del servizio licenze è arrivata incompleta. Riprova tra un momento.',
    'unexpected-answer':
      'Ha risposto qualcosa che non è il servizio licenze. Se sei su una rete pubblica, accedi prima a quella.',
    unauthorized:
      'Il servizio licenze non ha accettato la richiesta di questa app o della sua rete. Prova un’altra rete o contatta l’assistenza.',
    'untrusted-answer': 'La risposta non porta una firma valida del servizio licenze. Riprova più tardi.',
    'store-empty': 'Il file di licenza era vuoto ed è stato messo da parte. Attiva di nuovo.',
    'store-unreadable': 'Il file di licenza era danneggiato ed è stato messo da parte. Attiva di nuovo.',
    'store-newer-version':
      'Il file di licenza proviene da una versione più recente dell’app. Aggiorna l’app o attiva di nuovo.',
    'store-undecryptable':
      'Il file di licenza non può più essere decifrato su questo sistema. Riavvia l’app e, se richiesto, consenti l’accesso al portachiavi. Se non basta, attiva di nuovo.',
    'store-edited': 'Il file di licenza è stato modificato dall’esterno e non è affidabile. Attiva di nuovo.',
    'store-restored': 'Il file di licenza era danneggiato; è in uso l’ultima copia valida.',
    'store-not-writable':
      'Non è stato possibile salvare la licenza: la cartella dell’app non è scrivibile. Controlla i permessi della cartella e riprova.',
    'disk-full': 'Non è stato possibile salvare la licenza: il disco è pieno. Libera spazio e riprova.',
    'record-of-another-device':
      'Il file di licenza è stato copiato da un altro dispositivo. Attiva la licenza qui per usarla anche su questo.',
    'clock-behind': 'L’orologio di questo computer è sbagliato. Imposta data e ora.',
    'trial-over': 'La prova è terminata. Inserisci un codice di licenza per continuare.',
    busy: 'È in corso un’altra operazione sulla licenza. Attendi che finisca.',
    'not-activated': 'Nessuna licenza è attivata su questo dispositivo.',
    misconfigured:
      'Le licenze non sono configurate correttamente in questa app. Contatta il suo sviluppatore.',
    unexpected: 'Qualcosa di imprevisto è andato storto. Riprova; se succede ancora, contatta l’assistenza.',
  },
}
