import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'other'> = {
  starting: 'Een ogenblik…',
  enterHeading: '{app} activeren',
  enterLead: 'Plak de licentiesleutel uit je aankoopmail.',
  keyLabel: 'Licentiesleutel',
  activate: 'Activeren',
  checking: 'Bezig met controleren…',
  working: 'Een ogenblik…',
  keyFound: 'Sleutel gevonden: {key}',
  useClipboard: 'Activeren met gekopieerde sleutel {key}',
  fromLink: 'Deze sleutel komt uit de link die je hebt geopend.',
  takingLong: 'Dit duurt langer dan normaal.',
  stopWaiting: 'Niet langer wachten',

  activatedHeading: '{app} is geactiveerd',
  activatedLead: 'Alles is klaar, online en offline.',
  devicesInUse: 'Apparaten in gebruik',
  usedOfLimit: '{used} van {limit}',
  validUntil: 'Geldig tot',
  noEndDate: 'Geen einddatum',
  continue: 'Doorgaan',

  deactivate: 'Dit apparaat afmelden',
  deactivateHeading: 'Dit apparaat afmelden?',
  deactivateLead:
    'De plaats komt vrij voor een andere computer. Om {app} hier weer te gebruiken, voer je je licentiesleutel opnieuw in.',
  deactivated: 'Dit apparaat is afgemeld en zijn plaats is vrij.',
  cancel: 'Annuleren',

  noNetworkHeading: 'Geen verbinding',
  noAnswerHeading: 'Nog geen antwoord',
  nextTry: 'Volgende poging over {time}',
  worksMeanwhile: 'Ondertussen kun je {app} blijven gebruiken.',
  keyIsKept: 'Je sleutel blijft hier en de activering gaat vanzelf verder.',
  tryNow: 'Nu proberen',
  changeKey: 'Sleutel wijzigen',
  useOtherKey: 'Andere sleutel gebruiken',

  noSeatHeading: 'Geen plaats meer vrij',
  noSeatLead:
    'Deze licentie wordt op zoveel apparaten gebruikt als is toegestaan. Geef er een vrij, dan neemt dit apparaat die plaats in.',
  deviceList: 'Apparaten met deze licentie',
  activatedOn: 'Geactiveerd op {date}',
  thisDevice: 'Dit apparaat',
  release: 'Vrijgeven en hier activeren',
  chooseDevice: 'Kies het apparaat dat je wilt vrijgeven.',
  loadingDevices: 'Apparaten worden geladen…',
  devicesUnavailable: 'De apparaten konden niet worden opgehaald.',
  buySeats: 'Meer plaatsen kopen',

  expiredHeading: 'Je licentie is verlopen',
  expiredLead: 'De licentie eindigde op {date}. Verleng die om {app} te blijven gebruiken.',
  renew: 'Licentie verlengen',
  checkAgain: 'Opnieuw controleren',
  suspendedHeading: 'Je licentie is opgeschort',
  inactiveHeading: 'Je licentie is niet actief',
  reportedStatus: 'Gemelde status',
  movedHeading: 'Dit apparaat is vrijgegeven',
  activateAgain: 'Opnieuw activeren',

  graceHeading: 'Offline aan het werk',
  graceLead: {
    one: 'De licentiedienst was niet bereikbaar. {app} blijft nog {count} dag werken.',
    other: 'De licentiedienst was niet bereikbaar. {app} blijft nog {count} dagen werken.',
  },
  graceOverHeading: 'Ga één keer online',
  graceOverLead:
    'Je licentie is een tijd niet gecontroleerd. Maak verbinding met internet en controleer opnieuw; je hoeft niets te typen.',

  trialHeading: {
    one: 'Nog {count} dag proefperiode',
    other: 'Nog {count} dagen proefperiode',
  },
  trialLead: 'Alles werkt tot {date}. Je kunt op elk moment een licentiesleutel invoeren.',
  continueTrial: 'Verder proberen',
  trialOverHeading: 'Je proefperiode is voorbij',
  trialOverLead: 'Voer een licentiesleutel in om {app} te blijven gebruiken.',

  storageHeading: 'Activeer opnieuw',
  notSavedHeading: 'De licentie kon niet worden opgeslagen',
  refusedHeading: 'De licentiedienst weigerde',
  misconfiguredHeading: 'De licenties zijn niet goed ingesteld',
  misconfiguredLead: 'Dit ligt niet aan jou. Geef deze code door aan de maker van {app}:',

  buy: 'Licentie kopen',
  support: 'Hulp',
  copyDetails: 'Gegevens voor support kopiëren',
  copied: 'Gekopieerd',

  problems: {
    'empty-text': 'Er is niets ingevoerd. Plak de licentiesleutel uit je aankoopmail.',
    'no-license-key':
      'Deze tekst bevat geen licentiesleutel. Kopieer de sleutel uit je aankoopmail en plak die opnieuw.',
    'several-license-keys':
      'Deze tekst bevat meer dan één licentiesleutel. Plak alleen de sleutel die je wilt gebruiken.',
    'text-too-long': 'Deze tekst is te lang voor een licentiesleutel. Plak alleen de sleutel.',
    'license-not-found':
      'Deze licentiesleutel is niet bekend. Controleer of je die helemaal hebt gekopieerd.',
    'license-expired': 'Deze licentie is verlopen. Verleng die om de app te blijven gebruiken.',
    'license-suspended': 'Deze licentie is opgeschort. Neem contact op met support.',
    'license-inactive': 'Deze licentie is niet actief. Neem contact op met support.',
    'no-seat-left':
      'Deze licentie wordt op zoveel apparaten gebruikt als is toegestaan. Geef er een vrij om haar hier te gebruiken.',
    'activation-refused':
      'De licentiedienst heeft de activering geweigerd. Probeer het opnieuw of neem contact op met support.',
    'activation-unconfirmed':
      'De verbinding viel weg voordat de activering was bevestigd. Ze wordt afgerond bij de volgende verbinding.',
    'moved-to-another-device':
      'Dit apparaat is van de licentie gehaald, waarschijnlijk om haar op een ander te gebruiken. Activeer opnieuw om haar hier te gebruiken.',
    unconfirmed:
      'De licentiedienst gaf een onduidelijk antwoord over dit apparaat. Er wordt opnieuw gevraagd.',
    'adoption-unavailable':
      'De licentiedienst gaf geen lijst van apparaten, dus een eerdere activering van dit apparaat kon niet worden hergebruikt.',
    'device-not-found': 'Dit apparaat hoort niet meer bij de licentie. Vernieuw de lijst.',
    'deactivation-pending':
      'Dit apparaat is afgemeld. Zijn plaats komt vrij zodra de licentiedienst bereikbaar is.',
    offline: 'De licentiedienst is niet bereikbaar. Controleer de internetverbinding.',
    timeout: 'De licentiedienst antwoordde niet op tijd. Probeer het zo nog eens.',
    'service-error': 'De licentiedienst heeft een storing. Probeer het later opnieuw.',
    'rate-limited': 'De licentiedienst vraagt om even te wachten met de volgende poging.',
    'incomplete-answer':
      'Het antwoord van de licentiedienst is onderweg afgebroken. Probeer het zo nog eens.',
    'unexpected-answer':
      'Iets anders dan de licentiedienst gaf antwoord. Meld je op een openbaar netwerk eerst daar aan.',
    unauthorized:
      'De licentiedienst aanvaardde het verzoek van deze app of haar netwerk niet. Probeer een ander netwerk of neem contact op met support.',
    'untrusted-answer':
      'Het antwoord draagt geen geldige handtekening van de licentiedienst. Probeer het later opnieuw.',
    'store-empty':
      'Het licentiebestand was leeg en is apart gezet. Activeer opnieuw; dit apparaat houdt zijn plaats.',
    'store-unreadable':
      'Het licentiebestand was beschadigd en is apart gezet. Activeer opnieuw; dit apparaat houdt zijn plaats.',
    'store-newer-version':
      'Het licentiebestand komt van een nieuwere versie van deze app. Werk de app bij of activeer opnieuw.',
    'store-undecryptable':
      'Het licentiebestand kan op dit systeem niet meer worden ontsleuteld. Activeer opnieuw; dit apparaat houdt zijn plaats.',
    'store-edited':
      'Het licentiebestand is van buitenaf gewijzigd en wordt niet vertrouwd. Activeer opnieuw.',
    'store-restored': 'Het licentiebestand was beschadigd; de laatste goede kopie is in gebruik.',
    'store-not-writable':
      'De licentie kon niet worden opgeslagen omdat de app-map niet beschrijfbaar is. Ze werkt tot je afsluit; controleer de rechten van de map.',
    'disk-full':
      'De licentie kon niet worden opgeslagen omdat de schijf vol is. Maak ruimte vrij en probeer het opnieuw.',
    'record-of-another-device':
      'Het licentiebestand is van een ander apparaat gekopieerd. Activeer de licentie hier om haar ook op dit apparaat te gebruiken.',
    'clock-behind': 'De klok van deze computer loopt achter. Stel datum en tijd goed in.',
    'trial-over': 'De proefperiode is voorbij. Voer een licentiesleutel in om door te gaan.',
    busy: 'Er loopt nog een andere licentieactie. Wacht tot die klaar is.',
    'not-activated': 'Op dit apparaat is geen licentie geactiveerd.',
    misconfigured: 'De licenties zijn in deze app niet goed ingesteld. Neem contact op met de maker.',
    unexpected:
      'Er ging onverwacht iets mis. Probeer het opnieuw; gebeurt het weer, neem dan contact op met support.',
  },
}
