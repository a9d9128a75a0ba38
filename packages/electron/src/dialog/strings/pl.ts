import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'few' | 'many' | 'other'> = {
  starting: 'Chwileczkę…',
  enterHeading: 'Aktywacja: {app}',
  enterLead: 'Wklej klucz licencyjny z wiadomości o zakupie.',
  keyLabel: 'Klucz licencyjny',
  activate: 'Aktywuj',
  checking: 'Sprawdzanie…',
  working: 'Chwileczkę…',
  keyFound: 'Znaleziono klucz: {key}',
  useClipboard: 'Aktywuj skopiowanym kluczem {key}',
  fromLink: 'Ten klucz pochodzi z otwartego linku.',
  takingLong: 'Trwa to dłużej niż zwykle.',
  stopWaiting: 'Nie czekaj dłużej',

  activatedHeading: '{app}: aktywacja zakończona',
  activatedLead: 'Wszystko gotowe, online i offline.',
  devicesInUse: 'Używane urządzenia',
  usedOfLimit: '{used} z {limit}',
  validUntil: 'Ważna do',
  noEndDate: 'Bezterminowo',
  continue: 'Dalej',

  deactivate: 'Dezaktywuj to urządzenie',
  deactivateHeading: 'Dezaktywować to urządzenie?',
  deactivateLead:
    'Jego miejsce zwolni się dla innego komputera. Aby znów używać tu {app}, wpisz ponownie klucz licencyjny.',
  deactivated: 'To urządzenie zostało dezaktywowane, a jego miejsce jest wolne.',
  cancel: 'Anuluj',

  noNetworkHeading: 'Brak połączenia',
  noAnswerHeading: 'Jeszcze bez odpowiedzi',
  nextTry: 'Następna próba za {time}',
  worksMeanwhile: 'W tym czasie możesz nadal używać {app}.',
  keyIsKept: 'Klucz zostaje tutaj, a aktywacja dokończy się sama.',
  tryNow: 'Spróbuj teraz',
  changeKey: 'Zmień klucz',
  useOtherKey: 'Użyj innego klucza',

  noSeatHeading: 'Brak wolnych miejsc',
  noSeatLead:
    'Licencja jest używana na tylu urządzeniach, na ilu pozwala. Zwolnij jedno, a to urządzenie zajmie jego miejsce.',
  deviceList: 'Urządzenia korzystające z licencji',
  activatedOn: 'Aktywowano {date}',
  thisDevice: 'To urządzenie',
  release: 'Zwolnij i aktywuj tutaj',
  chooseDevice: 'Wybierz urządzenie do zwolnienia.',
  loadingDevices: 'Wczytywanie urządzeń…',
  devicesUnavailable: 'Nie udało się pobrać listy urządzeń.',
  buySeats: 'Dokup miejsca',

  expiredHeading: 'Licencja wygasła',
  expiredLead: 'Skończyła się {date}. Odnów ją, aby nadal używać {app}.',
  renew: 'Odnów licencję',
  checkAgain: 'Sprawdź ponownie',
  suspendedHeading: 'Licencja jest zawieszona',
  inactiveHeading: 'Licencja nie jest aktywna',
  reportedStatus: 'Zgłoszony status',
  movedHeading: 'To urządzenie zostało zwolnione',
  activateAgain: 'Aktywuj ponownie',

  graceHeading: 'Praca offline',
  graceLead: {
    one: 'Usługa licencyjna jest nieosiągalna. {app} będzie działać jeszcze {count} dzień.',
    few: 'Usługa licencyjna jest nieosiągalna. {app} będzie działać jeszcze {count} dni.',
    many: 'Usługa licencyjna jest nieosiągalna. {app} będzie działać jeszcze {count} dni.',
    other: 'Usługa licencyjna jest nieosiągalna. {app} będzie działać jeszcze {count} dnia.',
  },
  graceOverHeading: 'Połącz się raz z internetem',
  graceOverLead:
    'Licencja od jakiegoś czasu nie była sprawdzana. Połącz się z internetem i sprawdź ponownie; nie trzeba niczego wpisywać.',

  trialHeading: {
    one: 'Został {count} dzień okresu próbnego',
    few: 'Zostały {count} dni okresu próbnego',
    many: 'Zostało {count} dni okresu próbnego',
    other: 'Zostało {count} dnia okresu próbnego',
  },
  trialLead: 'Wszystko działa do {date}. Klucz licencyjny możesz wpisać w każdej chwili.',
  continueTrial: 'Kontynuuj okres próbny',
  trialOverHeading: 'Okres próbny się skończył',
  trialOverLead: 'Wpisz klucz licencyjny, aby nadal używać {app}.',

  storageHeading: 'Aktywuj ponownie',
  notSavedHeading: 'Nie udało się zapisać licencji',
  refusedHeading: 'Usługa licencyjna odmówiła',
  misconfiguredHeading: 'Licencjonowanie jest źle skonfigurowane',
  misconfiguredLead: 'To nie Twoja wina. Podaj ten kod twórcy aplikacji {app}:',

  buy: 'Kup licencję',
  support: 'Pomoc',
  copyDetails: 'Kopiuj dane dla pomocy technicznej',
  copied: 'Skopiowano',

  problems: {
    'empty-text': 'Niczego nie wpisano. Wklej klucz licencyjny z wiadomości o zakupie.',
    'no-license-key':
      'W tym tekście nie ma klucza licencyjnego. Skopiuj klucz z wiadomości o zakupie i wklej go ponownie.',
    'several-license-keys':
      'Ten tekst zawiera więcej niż jeden klucz licencyjny. Wklej tylko ten, którego chcesz użyć.',
    'text-too-long': 'Ten tekst jest za długi na klucz licencyjny. Wklej tylko klucz.',
    'license-not-found': 'Ten klucz licencyjny jest nieznany. Sprawdź, czy został skopiowany w całości.',
    'license-expired': 'Ta licencja wygasła. Odnów ją, aby nadal używać aplikacji.',
    'license-suspended': 'Ta licencja jest zawieszona. Skontaktuj się z pomocą techniczną.',
    'license-inactive': 'Ta licencja nie jest aktywna. Skontaktuj się z pomocą techniczną.',
    'no-seat-left':
      'Licencja jest używana na tylu urządzeniach, na ilu pozwala. Zwolnij jedno, aby użyć jej tutaj.',
    'activation-refused':
      'Usługa licencyjna odrzuciła aktywację. Spróbuj ponownie lub skontaktuj się z pomocą techniczną.',
    'activation-unconfirmed':
      'Połączenie przerwało się przed potwierdzeniem aktywacji. Dokończy się ona przy następnym połączeniu.',
    'moved-to-another-device':
      'To urządzenie usunięto z licencji, pewnie po to, by użyć jej na innym. Aktywuj ponownie, aby użyć jej tutaj.',
    unconfirmed:
      'Usługa licencyjna odpowiedziała niejasno w sprawie tego urządzenia. Zostanie zapytana ponownie.',
    'adoption-unavailable':
      'Usługa licencyjna nie podała listy urządzeń, więc nie udało się użyć wcześniejszej aktywacji tego urządzenia.',
    'device-not-found': 'Tego urządzenia nie ma już w licencji. Odśwież listę.',
    'deactivation-pending':
      'To urządzenie jest dezaktywowane. Jego miejsce zwolni się, gdy tylko usługa licencyjna będzie osiągalna.',
    offline: 'Usługa licencyjna jest nieosiągalna. Sprawdź połączenie z internetem.',
    timeout: 'Usługa licencyjna nie odpowiedziała na czas. Spróbuj za chwilę.',
    'service-error': 'Usługa licencyjna ma teraz kłopoty. Spróbuj później.',
    'rate-limited': 'Usługa licencyjna prosi o chwilę przerwy przed następną próbą.',
    'incomplete-answer':
      'Odpowiedź usługi licencyjnej została przerwana po drodze. Spróbuj ponownie za chwilę.',
    'unexpected-answer':
      'Odpowiedziało coś innego niż usługa licencyjna. W sieci publicznej najpierw się do niej zaloguj.',
    unauthorized:
      'Usługa licencyjna nie przyjęła żądania tej aplikacji lub jej sieci. Spróbuj innej sieci lub skontaktuj się z pomocą techniczną.',
    'untrusted-answer': 'Odpowiedź nie ma ważnego podpisu usługi licencyjnej. Spróbuj później.',
    'store-empty':
      'Plik licencji był pusty i został odłożony. Aktywuj ponownie; to urządzenie zachowa swoje miejsce.',
    'store-unreadable':
      'Plik licencji był uszkodzony i został odłożony. Aktywuj ponownie; to urządzenie zachowa swoje miejsce.',
    'store-newer-version':
      'Plik licencji pochodzi z nowszej wersji aplikacji. Zaktualizuj aplikację lub aktywuj ponownie.',
    'store-undecryptable':
      'Pliku licencji nie da się już odszyfrować w tym systemie. Aktywuj ponownie; to urządzenie zachowa swoje miejsce.',
    'store-edited': 'Plik licencji zmieniono z zewnątrz i nie można mu ufać. Aktywuj ponownie.',
    'store-restored': 'Plik licencji był uszkodzony; używana jest jego ostatnia dobra kopia.',
    'store-not-writable':
      'Nie udało się zapisać licencji, bo folder aplikacji jest tylko do odczytu. Działa do zamknięcia; sprawdź uprawnienia folderu.',
    'disk-full': 'Nie udało się zapisać licencji, bo dysk jest pełny. Zwolnij miejsce i spróbuj ponownie.',
    'record-of-another-device':
      'Plik licencji skopiowano z innego urządzenia. Aktywuj licencję tutaj, aby używać jej także na tym.',
    'clock-behind': 'Zegar tego komputera się spóźnia. Ustaw właściwą datę i godzinę.',
    'trial-over': 'Okres próbny się skończył. Wpisz klucz licencyjny, aby kontynuować.',
    busy: 'Trwa inna operacja licencyjna. Poczekaj, aż się zakończy.',
    'not-activated': 'Na tym urządzeniu nie ma aktywnej licencji.',
    misconfigured: 'Licencjonowanie w tej aplikacji jest źle skonfigurowane. Skontaktuj się z jej twórcą.',
    unexpected:
      'Stało się coś nieoczekiwanego. Spróbuj ponownie; jeśli to się powtórzy, skontaktuj się z pomocą techniczną.',
  },
}
