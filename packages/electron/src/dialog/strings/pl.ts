import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'few' | 'many' | 'other'> = {
  starting: 'Chwileczkę…',
  enterHeading: 'Aktywacja: {app}',
  enterLead: 'Wklej klucz licencyjny z wiadomości o zakupie.',
  keyLabel: 'Klucz licencyjny',
  activate: 'Aktywuj',
  activateOffline: 'Aktywuj bez internetu',
  checking: 'Sprawdzanie…',
  working: 'Chwileczkę…',
  keyFound: 'Znaleziono klucz.',
  useClipboard: 'Znaleziono klucz w schowku.',
  fromLink: 'Ten klucz pochodzi z otwartego linku.',
  replacesLicense: 'Aktywacja zastąpi obecną licencję.',
  chooseKeyHeading: 'Który to klucz licencyjny?',
  chooseKeyLead: 'Wklejony tekst zawiera kilka kluczy.',
  chooseKey: 'Wybierz klucz do aktywacji.',
  takingLong: 'Trwa to dłużej niż zwykle.',
  stopWaiting: 'Nie czekaj dłużej',

  activatedHeading: '{app}: aktywacja zakończona',
  activatedLead: 'Wszystko gotowe, także offline.',
  endsSoonLead: 'Licencja kończy się {date}.',
  devicesInUse: 'Używane urządzenia',
  usedOfLimit: '{used} z {limit}',
  validUntil: 'Ważna do',
  updatesUntil: 'Aktualizacje do',
  noEndDate: 'Bezterminowo',
  continue: 'Dalej',

  deactivate: 'Dezaktywuj to urządzenie',
  deactivateHeading: 'Dezaktywować to urządzenie?',
  deactivateLead:
    'To zwolni miejsce dla innego komputera.\nAby znów używać tu {app}, wpisz klucz licencyjny.',
  deactivateNow: 'Dezaktywuj',
  deactivated: 'To urządzenie jest dezaktywowane, a jego miejsce wolne.',
  seatKept:
    'To urządzenie jest dezaktywowane, ale jego miejsce w poprzedniej usłudze licencyjnej jest nadal zajęte.',
  cancel: 'Anuluj',

  noNetworkHeading: 'Brak połączenia',
  noAnswerHeading: 'Jeszcze bez odpowiedzi',
  noNetworkLead: 'Nie udało się połączyć z usługą licencyjną.',
  nextTry: 'Ponowna próba za {time}',
  worksMeanwhile: 'W tym czasie możesz nadal używać {app}.',
  keyIsKept: 'Klucz jest zapisany, a aktywacja będzie kontynuowana automatycznie.',
  tryNow: 'Spróbuj teraz',
  changeKey: 'Zmień klucz',
  useOtherKey: 'Użyj innego klucza',

  noSeatHeading: 'Brak wolnych miejsc',
  noSeatLead: 'Zwolnij urządzenie, aby aktywować {app} na tym.',
  seatsInUse: 'Zajęte miejsca: {used} z {limit}',
  deviceList: 'Urządzenia korzystające z licencji',
  activatedOn: 'Aktywowano {date}',
  thisDevice: 'To urządzenie',
  release: 'Zwolnij i aktywuj tutaj',
  chooseDevice: 'Wybierz urządzenie do zwolnienia.',
  loadingDevices: 'Wczytywanie urządzeń…',
  devicesUnavailable: 'Nie udało się pobrać listy urządzeń.',
  buySeats: 'Dokup miejsca',
  account: 'Konto klienta',

  expiredHeading: 'Licencja wygasła',
  expiredLead: 'Skończyła się {date}.\nOdnów ją, aby nadal używać {app}.',
  renew: 'Odnów licencję',
  checkAgain: 'Sprawdź ponownie',
  notCoveredHeading: 'Licencja nie obejmuje tej wersji',
  notCoveredLead: 'Licencja obejmuje wersje wydane do {date}.\nOdnów ją albo wróć do wcześniejszej wersji.',
  coveredVersion: 'Pobierz wcześniejszą wersję',
  suspendedHeading: 'Licencja jest zawieszona',
  inactiveHeading: 'Licencja nie jest aktywna',
  contactSupport: 'Skontaktuj się z pomocą techniczną.',
  reportedStatus: 'Zgłoszony status',
  movedHeading: 'To urządzenie zostało zwolnione',
  activateAgain: 'Aktywuj ponownie',

  graceHeading: 'Praca offline',
  graceLead: {
    one: 'Nie udało się połączyć z usługą licencyjną.\n{app} będzie działać jeszcze {count} dzień.',
    few: 'Nie udało się połączyć z usługą licencyjną.\n{app} będzie działać jeszcze {count} dni.',
    many: 'Nie udało się połączyć z usługą licencyjną.\n{app} będzie działać jeszcze {count} dni.',
    other: 'Nie udało się połączyć z usługą licencyjną.\n{app} będzie działać jeszcze {count} dnia.',
  },
  renewalLead: {
    one: 'Licencja się skończyła i nie udało się sprawdzić, czy ją odnowiono.\n{app} będzie działać jeszcze {count} dzień.',
    few: 'Licencja się skończyła i nie udało się sprawdzić, czy ją odnowiono.\n{app} będzie działać jeszcze {count} dni.',
    many: 'Licencja się skończyła i nie udało się sprawdzić, czy ją odnowiono.\n{app} będzie działać jeszcze {count} dni.',
    other:
      'Licencja się skończyła i nie udało się sprawdzić, czy ją odnowiono.\n{app} będzie działać jeszcze {count} dnia.',
  },
  graceOverHeading: 'Połącz się z internetem',
  graceOverLead:
    'Licencja od jakiegoś czasu nie była sprawdzana.\nPołącz się i sprawdź ponownie.\nKlucz nie będzie potrzebny.',

  trialHeading: {
    one: 'Został {count} dzień okresu próbnego',
    few: 'Zostały {count} dni okresu próbnego',
    many: 'Zostało {count} dni okresu próbnego',
    other: 'Zostało {count} dnia okresu próbnego',
  },
  trialLead: 'Wszystko działa do {date}.',
  trialHint: 'Masz klucz licencyjny? Możesz go tu wkleić w każdej chwili.',
  continueTrial: 'Kontynuuj okres próbny',
  trialOverHeading: 'Okres próbny się skończył',
  trialOverLead: 'Wpisz klucz licencyjny, aby nadal używać {app}.',

  storageHeading: 'Aktywuj ponownie',
  notSavedHeading: 'Nie udało się zapisać licencji',
  refusedHeading: 'Aktywacja została odrzucona',
  misconfiguredHeading: 'Licencjonowanie jest źle skonfigurowane',
  misconfiguredLead: 'To nie Twoja wina.\nWyślij ten kod twórcy aplikacji {app}:',
  copyCode: 'Kopiuj dane',

  buy: 'Kup licencję',
  help: 'Pomoc',
  support: 'Uzyskaj pomoc',
  copyDetails: 'Kopiuj dane dla pomocy technicznej',
  copied: 'Skopiowano',

  problems: {
    'empty-text': 'Niczego nie wpisano. Wklej klucz licencyjny z wiadomości o zakupie.',
    'no-license-key': 'W tym tekście nie ma klucza licencyjnego. Skopiuj go z wiadomości o zakupie.',
    'several-license-keys':
      'Ten tekst zawiera kilka kluczy licencyjnych. Wklej tylko ten, którego chcesz użyć.',
    'text-too-long': 'Ten tekst jest za długi na klucz licencyjny. Wklej tylko klucz.',
    'license-not-found':
      'Nie znaleźliśmy tego klucza licencyjnego. Sprawdź, czy został skopiowany w całości.',
    'wrong-product': 'Ten klucz licencyjny dotyczy innego produktu. Użyj klucza kupionego dla tej aplikacji.',
    'license-expired': 'Ta licencja wygasła. Odnów ją, aby nadal używać aplikacji.',
    'license-suspended': 'Ta licencja jest zawieszona. Skontaktuj się z pomocą techniczną.',
    'license-inactive': 'Ta licencja nie jest aktywna. Skontaktuj się z pomocą techniczną.',
    'no-seat-left':
      'Licencja jest używana na tylu urządzeniach, na ilu pozwala. Zwolnij jedno, aby użyć jej tutaj.',
    'activation-refused': 'Klucz został odrzucony. Być może licencja wygasła lub jest zawieszona.',
    'activation-paused':
      'Tę aktywację rozpoczęto ponad dzień temu. Wpisz klucz licencyjny ponownie, aby ją dokończyć.',
    'activation-unconfirmed':
      'Połączenie przerwało się przed potwierdzeniem aktywacji. Spróbuj ponownie, aby ją dokończyć.',
    'license-of-other-service':
      'Ta aplikacja korzysta teraz z innej usługi licencyjnej. Wprowadź nowy klucz licencyjny.',
    'seat-may-be-taken':
      'Połączenie przerwało się przed potwierdzeniem aktywacji, więc mogła już zająć miejsce. Spróbuj ponownie albo najpierw zwolnij to urządzenie na swoim koncie klienta.',
    'test-license-key': 'Ten klucz licencyjny służy tylko do testów. Użyj klucza z e-maila o zakupie.',
    'moved-to-another-device':
      'Licencję prawdopodobnie przeniesiono na inne urządzenie. Aktywuj ponownie, aby użyć jej tutaj.',
    unconfirmed:
      'Usługa licencyjna odpowiedziała niejasno w sprawie tego urządzenia. Zostanie zapytana ponownie.',
    'adoption-unavailable':
      'Usługa licencyjna nie podała listy urządzeń, więc nie udało się użyć wcześniejszej aktywacji tego urządzenia.',
    'devices-not-listed':
      'Usługa licencyjna nie pokazuje urządzeń w aplikacji. Zwolnij urządzenie na swoim koncie klienta.',
    'device-not-found': 'Tego urządzenia nie ma już w licencji. Odśwież listę.',
    'deactivation-pending':
      'To urządzenie jest dezaktywowane. Jego miejsce zwolni się, gdy tylko usługa licencyjna będzie osiągalna.',
    offline: 'Usługa licencyjna jest nieosiągalna. Sprawdź połączenie z internetem.',
    timeout: 'Usługa licencyjna nie odpowiedziała na czas. Spróbuj za chwilę.',
    'service-error': 'Usługa licencyjna ma problemy. Spróbuj później.',
    'rate-limited': 'Zbyt wiele żądań. Spróbuj później.',
    'incomplete-answer':
      'Odpowiedź usługi licencyjnej została przerwana po drodze. Spróbuj ponownie za chwilę.',
    'unexpected-answer':
      'Odpowiedziało coś innego niż usługa licencyjna. W sieci publicznej najpierw się do niej zaloguj.',
    unauthorized:
      'Usługa licencyjna nie przyjęła żądania tej aplikacji lub jej sieci. Spróbuj innej sieci lub skontaktuj się z pomocą techniczną.',
    'untrusted-answer': 'Odpowiedź nie ma ważnego podpisu usługi licencyjnej. Spróbuj później.',
    'store-empty': 'Plik licencji był pusty i został odłożony. Aktywuj ponownie.',
    'store-unreadable': 'Plik licencji był uszkodzony i został odłożony. Aktywuj ponownie.',
    'store-newer-version':
      'Plik licencji pochodzi z nowszej wersji aplikacji. Zaktualizuj aplikację lub aktywuj ponownie.',
    'store-undecryptable':
      'Pliku licencji nie da się już odszyfrować w tym systemie. Uruchom aplikację ponownie i w razie pytania zezwól na dostęp do pęku kluczy. Jeśli to nie pomoże, aktywuj ponownie.',
    'store-edited': 'Plik licencji zmieniono z zewnątrz i nie można mu ufać. Aktywuj ponownie.',
    'store-restored': 'Plik licencji był uszkodzony; używana jest jego ostatnia dobra kopia.',
    'store-not-writable':
      'Nie udało się zapisać licencji, bo folder aplikacji jest tylko do odczytu. Sprawdź uprawnienia folderu i spróbuj ponownie.',
    'disk-full': 'Nie udało się zapisać licencji, bo dysk jest pełny. Zwolnij miejsce i spróbuj ponownie.',
    'record-of-another-device':
      'Plik licencji skopiowano z innego urządzenia. Aktywuj licencję tutaj, aby używać jej także na tym.',
    'clock-behind': 'Zegar tego komputera źle chodzi. Ustaw właściwą datę i godzinę.',
    'trial-over': 'Okres próbny się skończył. Wpisz klucz licencyjny, aby kontynuować.',
    busy: 'Trwa inna operacja licencyjna. Poczekaj, aż się zakończy.',
    'not-activated': 'Na tym urządzeniu nie ma aktywnej licencji.',
    misconfigured: 'Licencjonowanie w tej aplikacji jest źle skonfigurowane. Skontaktuj się z jej twórcą.',
    unexpected: 'Stało się coś nieoczekiwanego. Spróbuj ponownie lub napisz do pomocy technicznej.',
  },
}
