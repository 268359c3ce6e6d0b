# aflamed: build, test, lint, install. `make help` lists what there is.

# ---- options -----------------------------------------------------------------------------------------------
## CC=gcc              the compiler (gcc or clang)
## SAN=                sanitizers: address,undefined or thread; each has its own build directory
## COVERAGE=           1: instrumented for gcov; see the target `coverage`
## T=                  only tests whose name contains this (`make test T=cursor`)
## AGAIN=              1: `test` runs files of which a test failed once more, alone; those that then succeed are only named
## V=                  1: show the commands
## CASES=              some cases of `bench`: start,fold,real,layouts,families,simpleperf,perfetto,diff,render,upload,small,rerender,cached,uploads64,bucket
## SIZES=              some sizes of the traces of `bench`, in MB: 5,57,500
## JOBS=               parallel jobs of `run`, `test` and `lint`; default: one per processor
## PREFIX=/usr/local   where `install` puts the files, below DESTDIR
## STRIP=strip         what takes the symbols off the installed program; empty: they stay
## RUN=                what runs a program that was built for another processor (qemu-aarch64)
## SECONDS=60          how long `make fuzz` runs
## ROUNDS=100          how often `make crash` and `make cluster-test` kill the service
## AFLAMED_SAMPLES=    folder of real profiles; the tests that need it are skipped without it

ifeq ($(origin CC),default)
CC := gcc
endif
SAN ?=
COVERAGE ?=
T ?=
AGAIN ?=
V ?=
CASES ?=
SIZES ?=
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
DESTDIR ?=
STRIP ?= strip
RUN ?=
SECONDS ?= 60
ROUNDS ?= 100
AFLAMED_SAMPLES ?= $(abspath $(wildcard ../shared))

comma := ,
B := build$(if $(SAN),/$(subst $(comma),-,$(SAN)))$(if $(COVERAGE),/coverage)
Q := $(if $(V),,@)
say = $(if $(V),@:,@echo)

# ---- flags -------------------------------------------------------------------------------------------------
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
LANGUAGE := -std=c17 -D_GNU_SOURCE -I.
HARDENING := -fPIE -fstack-protector-strong -fstack-clash-protection
HARDENING_LINK := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack
ifneq ($(filter x86_64%,$(shell uname -m)),)
HARDENING += -fcf-protection
endif

# Sanitizers report lines of functions, for which -g1 is enough: their objects are a third as large, and linked faster.
DEBUG := $(if $(SAN),-g1,-g)
ifneq ($(SAN),)
MODE := -O1 -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
MODE_LINK := -fsanitize=$(SAN)
else ifneq ($(COVERAGE),)
MODE := -O0 --coverage -fprofile-update=atomic
MODE_LINK := --coverage
else
# The sanitizers intercept the functions that this would replace, and gcov's counts are of unoptimised code.
MODE := -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
endif

COMPILE := $(CC) $(LANGUAGE) $(WARNINGS) $(DEBUG) $(MODE) $(HARDENING) $(CFLAGS)
LINK := $(CC) $(MODE_LINK) $(HARDENING_LINK) $(LDFLAGS)
LIBRARIES := -ljansson -lpcre2-8 -lzstd -lz -liberty -lpthread

# ---- files -------------------------------------------------------------------------------------------------
LAYERS := core profile parser runs render server cli
SOURCES := $(sort $(shell find $(LAYERS) -name '*.c'))
SYSTEMD_UNITS := $(wildcard deploy/systemd/*)
# The script of the pictures is made of these files, in this order.
VIEWER_SOURCES := static/flame-model.js static/flame-filters.js static/flame-views.js static/flame.js
# The style of the pages, in the order in which its rules override each other.
STYLE_SOURCES := $(addprefix static/app/,base.css upload.css spaces.css workspace.css lanes.css dumps.css panes.css bundle.css)
# The scripts of pages, each with the modules that it imports.
PAGE_SCRIPTS := workspace upload uploads result bundle
STATIC := $(sort $(wildcard $(foreach type,css html txt svg json gz png,static/*.$(type))) \
    $(B)/static/flame.js $(B)/static/app.css $(PAGE_SCRIPTS:%=$(B)/static/%.js))
# The sanitizer of threads has nothing to find where at most one thread runs: test programs are built and run under it if
# they start threads, or include a header of a room that may. Others test rooms without threads, and conversions, which
# test_convert shares between threads.
WITH_THREADS := $(if $(filter thread,$(SAN)),pthread|"core/system/|"server/(http/[a-z_]*[.]h|pages|routes|store|upload|views|service)|aged_store|record_fixture)
with_threads = $(if $(WITH_THREADS),$(shell grep -lE '$(WITH_THREADS)' $(1)),$(1))
UNIT_SOURCES := $(sort $(call with_threads,$(wildcard tests/unit/*.c)))
SUPPORT_SOURCES := $(sort $(wildcard tests/support/*.c))

# All but main(): what the program, the tests and the fuzz targets are linked from.
LIBRARY := $(B)/libaflamed.a
LIBRARY_OBJECTS := $(filter-out $(B)/cli/main.o,$(SOURCES:%.c=$(B)/%.o)) $(B)/static_files.o
OBJECTS := $(B)/cli/main.o $(LIBRARY_OBJECTS)
REFERENCE := $(B)/tools/reference/reference
REFERENCE_OBJECTS := $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tools/reference/*.c)))
MANUALS := $(B)/man/aflamed.1 $(B)/man/aflamed.json.5
COMPLETION := $(B)/completions/aflamed
DOCUMENTS := $(sort $(wildcard *.md docs/*.md))
SUPPORT := $(B)/libsupport.a
SUPPORT_OBJECTS := $(SUPPORT_SOURCES:%.c=$(B)/%.o)
UNIT_PROGRAMS := $(UNIT_SOURCES:%.c=$(B)/%)
REPLAY_PROGRAMS := $(patsubst %.c,$(B)/%,$(call with_threads,$(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_TARGETS := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_SAN := fuzzer-no-link,address,undefined
FUZZ_B := build/$(subst $(comma),-,$(FUZZ_SAN))
MKTRACE_OBJECTS := $(patsubst %.c,$(B)/%.o,$(wildcard tests/support/mktrace/*.c) tests/support/families.c tests/support/proto_bytes.c tests/support/trace_writer.c core/system/folder.c \
    core/buf.c core/memory.c core/memory_huge.c core/memory_shared.c core/number.c core/str.c)

# ---- targets -----------------------------------------------------------------------------------------------
.PHONY: crash cluster-test house bench-docs bench-load bench-requests bench-week bench-viewer deps-bench screenshot faults docs uninstall reference
.PHONY: all run test help lint format coverage bench install clean dist deps deps-test deps-lint
.PHONY: fuzz fuzz-all fuzz-seeds deps-fuzz unit-programs mktrace FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/aflamed ## build build/aflamed

run: deps ## install what is missing, build, and serve on http://127.0.0.1:8192/
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@exec $(B)/aflamed serve

# T=http/test_upload names a suite, for which the programs of other suites need not be built.
SUITE = $(if $(findstring /,$(T)),$(firstword $(subst /, ,$(T))))
for_suite = $(if $(filter-out $(1),$(SUITE)),,$(2))
TESTED = all $(call for_suite,unit,unit-programs) $(call for_suite,fuzz,$(REPLAY_PROGRAMS)) \
    $(call for_suite,http,$(B)/faults/aflamed $(B)/tests/unit/test_store_backends $(MANUALS) $(COMPLETION))

test: deps-test ## install what is missing, build, and run all tests
	@$(MAKE) --no-print-directory -j$(JOBS) $(TESTED)
	@AFLAMED=$(abspath $(B)/aflamed) AFLAMED_TEST_UNIT=$(abspath $(B)/tests/unit) AFLAMED_TEST_FUZZ=$(abspath $(B)/tests/fuzz) CC=$(CC) \
	    AFLAMED_TEST_FAULTS=$(abspath $(B)/faults/aflamed) AFLAMED_SAMPLES=$(AFLAMED_SAMPLES) AFLAMED_TEST_THREADS='$(WITH_THREADS)' AFLAMED_TEST_AGAIN=$(AGAIN) JOBS=$(JOBS) python3 -B tests/run.py $(T)

help: ## this text
	@echo 'targets:'
	@sed -n 's/^\([a-z-]*\):.*## /  \1 \t/p' Makefile | expand -t 18
	@echo 'options:'
	@sed -n 's/^## /  /p' Makefile

lint: deps-lint ## check format, rooms, documents, headers and circles of calls; run clang-tidy and cppcheck
	@JOBS=$(JOBS) tests/lint/run $(LANGUAGE) $(WARNINGS)
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@tools/house --check

house: all ## print how large the rooms are, and how far one reads to follow an upload, a view or a filter
	@tools/house

docs: deps ## write the tables of README.md and docs/ anew, from the tables of the program
	@$(MAKE) --no-print-directory -j$(JOBS) reference
	@tools/doc_tables $(REFERENCE) $(DOCUMENTS)

format: deps-lint ## format all C files in place
	@find $(LAYERS) static tools tests -name "*.[ch]" -exec clang-format --style=file -i {} +

fuzz: deps-fuzz ## fuzz the target T= (reader, cuts, ...) for SECONDS=, from its corpus; findings go to build/fuzz
	@$(MAKE) --no-print-directory -j$(JOBS) CC=clang SAN=$(FUZZ_SAN) $(FUZZ_B)/fuzz/$(T)
	@tests/fuzz/run $(FUZZ_B)/fuzz $(SECONDS) $(T)

fuzz-all: deps-fuzz ## the same, each target in turn, with a table of what each did and found
	@$(MAKE) --no-print-directory -j$(JOBS) CC=clang SAN=$(FUZZ_SAN) $(FUZZ_TARGETS:%=$(FUZZ_B)/fuzz/%)
	@tests/fuzz/run $(FUZZ_B)/fuzz $(SECONDS) $(FUZZ_TARGETS)

fuzz-seeds: deps-test ## write the corpora's first inputs again, by the tests' own builders
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/fuzz/seeds
	@$(B)/tests/fuzz/seeds tests/fuzz/corpus

faults: deps-test ## fail each call to memory, files, network and libraries once and for good, fill the disk, cut the power; T= names some scenarios
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/faults/aflamed
	@AFLAMED=$(abspath $(B)/aflamed) AFLAMED_TEST_FAULTS=$(abspath $(B)/faults/aflamed) python3 -B tests/faults/run '$(T)'

crash: deps-test ## kill -9 the service under load ROUNDS= times, and look at every byte that it had acknowledged
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@AFLAMED=$(abspath $(B)/aflamed) AFLAMED_TEST_ROUNDS=$(ROUNDS) python3 -B tests/http/test_crash.py

cluster-test: deps-test ## two services on one real object store, behind nginx, for SECONDS=600, while in turn each of them, a gateway and a disk dies; then ROUNDS=300 in which one is killed in mid-upload
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@AFLAMED=$(abspath $(B)/aflamed) AFLAMED_SAMPLES=$(AFLAMED_SAMPLES) AFLAMED_TEST_SECONDS=$(SECONDS) \
	    AFLAMED_TEST_ROUNDS=$(ROUNDS) python3 -B tests/http/test_cluster.py

coverage: deps-test ## line coverage; fails under 90 % of core, parser, runs and render, or 95 % of server/http, store and doors
	@find build/coverage -name '*.gcda' -delete 2>/dev/null || true
	@$(MAKE) --no-print-directory COVERAGE=1 test
	@python3 -B tests/coverage.py build/coverage 90 core parser runs render 95 server/http server/store server/doors

bench: deps ## measure time and memory beside yardsticks, in about ten minutes; see CASES= and SIZES=
	@$(MAKE) --no-print-directory deps-bench || echo 'bench: going on without what is missing'
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/mktrace $(B)/bench/timed
	@AFLAMED=$(abspath $(B)/aflamed) MKTRACE=$(abspath $(B)/mktrace) TIMED=$(abspath $(B)/bench/timed) AFLAMED_SAMPLES=$(AFLAMED_SAMPLES) \
	    python3 -B tests/bench/measure.py --cases '$(CASES)' --sizes '$(SIZES)'

bench-load: deps ## what one client can take from another: fairness, limits, and a soak of SECONDS=600; see tests/bench/load.py
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/mktrace
	@AFLAMED=$(abspath $(B)/aflamed) MKTRACE=$(abspath $(B)/mktrace) python3 -B tests/bench/load.py --cases '$(CASES)' \
	    --seconds $(if $(filter file,$(origin SECONDS)),600,$(SECONDS))

bench-week: all ## a week of a made-up team: series and checks find what became slower, and nothing else; COMMITS=200
	@AFLAMED=$(abspath $(B)/aflamed) python3 -B tests/bench/week.py $(COMMITS)

bench-requests: all ## count what a service asks of its object store, and what a day of that costs
	@AFLAMED=$(abspath $(B)/aflamed) python3 -B tests/bench/requests.py

bench-docs: ## write docs/performance.md from the last whole `make bench`
	@python3 -B tests/bench/measure.py --document docs/performance.md

bench-viewer: deps-test ## measure pictures in Chromium: load, zoom, search, views; beside the classic form
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/mktrace
	@AFLAMED=$(abspath $(B)/aflamed) MKTRACE=$(abspath $(B)/mktrace) node tests/bench/viewer.mjs

screenshot: deps-test ## make the README's picture, static/screenshot.png, from `aflamed demo`
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@tools/screenshot $(abspath $(B)/aflamed) static/screenshot.png

mktrace: $(B)/mktrace ## build build/mktrace, which writes large traces to measure with

# What is installed, below DESTDIR and PREFIX.
INSTALL_PROGRAM = install -D $(if $(STRIP),-s --strip-program=$(STRIP)) -m 0755
INSTALL_FILE = install -D -m 0644
SHARE = $(DESTDIR)$(PREFIX)/share
UNITS = $(DESTDIR)$(PREFIX)/lib/systemd/system

install: all $(MANUALS) $(COMPLETION) ## put the program, its manual, configuration and systemd units below PREFIX
	$(INSTALL_PROGRAM) $(B)/aflamed $(DESTDIR)$(PREFIX)/bin/aflamed
	$(INSTALL_FILE) -t $(SHARE)/aflamed $(wildcard config/*)
	$(INSTALL_FILE) -t $(SHARE)/doc/aflamed LICENSE $(wildcard *.md)
	$(INSTALL_FILE) -t $(SHARE)/doc/aflamed/docs $(wildcard docs/*.md)
	$(INSTALL_FILE) -t $(SHARE)/doc/aflamed/static static/screenshot.png
	$(INSTALL_FILE) -t $(SHARE)/man/man1 $(B)/man/aflamed.1
	$(INSTALL_FILE) -t $(SHARE)/man/man5 $(B)/man/aflamed.json.5
	$(INSTALL_FILE) -t $(SHARE)/bash-completion/completions $(COMPLETION)
	mkdir -p $(UNITS)
	for unit in $(SYSTEMD_UNITS); do sed 's|/usr/local/|$(PREFIX)/|' $$unit > $(UNITS)/$$(basename $$unit); done

uninstall: ## remove what `install` put there, with the same PREFIX and DESTDIR; uploads stay
	rm -f $(DESTDIR)$(PREFIX)/bin/aflamed $(SHARE)/man/man1/aflamed.1 $(SHARE)/man/man5/aflamed.json.5 \
	    $(SHARE)/bash-completion/completions/aflamed $(SYSTEMD_UNITS:deploy/systemd/%=$(UNITS)/%)
	rm -rf $(SHARE)/aflamed $(SHARE)/doc/aflamed

# What the last commit holds, and nothing that was built. It builds without git.
VERSION = $(shell sed -n 's/^const char SERVICE_VERSION.*"\(.*\)";/\1/p' server/serve.c)

dist: ## write build/aflamed-VERSION.tar.gz: the sources of the last commit
	@mkdir -p build
	git archive --prefix=aflamed-$(VERSION)/ -o build/aflamed-$(VERSION).tar.gz HEAD

clean: ## remove everything that was built
	rm -rf build

deps: ## install missing packages that the build needs (Debian)
	@tools/deps deploy/packages/build.txt

deps-test: ## install missing packages that the tests need as well
	@tools/deps deploy/packages/build.txt deploy/packages/test.txt
	@tools/deps-node tests/browser

deps-fuzz: deps-test ## install missing packages that `fuzz` needs as well
	@tools/deps deploy/packages/fuzz.txt

deps-lint: ## install missing packages that `lint` and `format` need as well
	@tools/deps deploy/packages/build.txt deploy/packages/lint.txt

deps-bench: deps ## install missing packages that `bench` measures with
	@tools/deps deploy/packages/bench.txt

# ---- rules -------------------------------------------------------------------------------------------------
# A stamp is rewritten only when its content changes: other flags rebuild, a file more or less links again.
stamp = @mkdir -p $(@D); printf '%s\n' '$(1)' | cmp -s - $@ || printf '%s\n' '$(1)' > $@
$(B)/flags: FORCE
	$(call stamp,$(COMPILE) : $(LINK))
$(B)/files: FORCE
	$(call stamp,$(SOURCES) $(STATIC) $(SUPPORT_SOURCES))

$(B)/aflamed: $(B)/cli/main.o $(LIBRARY)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $^ $(LIBRARIES)

# Archives are made anew: `ar` would keep what is no longer there.
$(LIBRARY): $(LIBRARY_OBJECTS) $(B)/files
	$(Q)rm -f $@ && ar rcs $@ $(LIBRARY_OBJECTS)

$(SUPPORT): $(SUPPORT_OBJECTS) $(B)/files
	$(Q)rm -f $@ && ar rcs $@ $(SUPPORT_OBJECTS)

# Products are rounded before they are added up, on machines with an instruction for both as on others: statistics decide alike.
$(B)/runs/%.o: ARITHMETIC := -ffp-contract=off

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(say) '  CC    $<'
	$(Q)$(COMPILE) $(ARITHMETIC) -MMD -MP -c -o $@ $<

$(B)/static/flame.js: tools/viewer_script $(VIEWER_SOURCES)
	@mkdir -p $(@D)
	$(Q)tools/viewer_script $(VIEWER_SOURCES) > $@

$(PAGE_SCRIPTS:%=$(B)/static/%.js): $(B)/static/%.js: static/%.js tools/page_script $(wildcard static/*.js)
	@mkdir -p $(@D)
	$(Q)tools/page_script $< > $@

$(B)/static/app.css: $(STYLE_SOURCES)
	@mkdir -p $(@D)
	$(Q)cat $^ > $@

$(B)/static_files.c: tools/static_files $(STATIC) static/flame-controls.xml $(B)/files
	$(say) '  EMBED $@'
	$(Q)tools/static_files $(STATIC) static/flame-controls.xml > $@

$(B)/static_files.o: $(B)/static_files.c $(STATIC) static/flame-controls.xml $(B)/flags
	$(say) '  CC    $<'
	$(Q)$(COMPILE) -MMD -MP -c -o $@ $<

reference: $(REFERENCE)

$(REFERENCE): $(REFERENCE_OBJECTS) $(LIBRARY)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $^ $(LIBRARIES)

$(B)/man/aflamed.1: $(REFERENCE)
	@mkdir -p $(@D)
	$(Q)$(RUN) $(REFERENCE) man1 > $@

$(B)/man/aflamed.json.5: $(REFERENCE)
	@mkdir -p $(@D)
	$(Q)$(RUN) $(REFERENCE) man5 > $@

$(COMPLETION): $(REFERENCE)
	@mkdir -p $(@D)
	$(Q)$(RUN) $(REFERENCE) bash > $@

unit-programs: $(UNIT_PROGRAMS)

# The oracles of some fuzz targets are other people's parsers.
FUZZ_LIBRARIES := -lcmocka -lexpat $(LIBRARIES)
$(B)/tests/fuzz/fuzz_%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(SUPPORT) $(LIBRARY)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $^ $(FUZZ_LIBRARIES)

$(B)/fuzz/%: $(B)/tests/fuzz/fuzz_%.o $(SUPPORT) $(LIBRARY)
	@mkdir -p $(@D)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(FUZZ_LIBRARIES)

$(B)/tests/fuzz/seeds: $(B)/tests/fuzz/seeds.o $(SUPPORT) $(LIBRARY)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $^ -lcmocka $(LIBRARIES)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(SUPPORT) $(LIBRARY)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $^ -lcmocka $(LIBRARIES)

# The program with its faults: the same objects, between them and the libraries the wrappers of wraps.c.
FAULTS_OBJECTS := $(B)/tests/faults/faults.o $(B)/tests/faults/journal.o $(B)/tests/faults/wraps.o
$(B)/faults/aflamed: $(FAULTS_OBJECTS) $(OBJECTS) $(B)/flags $(B)/files
	@mkdir -p $(@D)
	$(say) '  LINK  $@'
	$(Q)nm $(B)/tests/faults/wraps.o | sed -n 's/.* T __wrap_/-Wl,--wrap=/p' > $(@D)/wraps
	$(Q)$(LINK) @$(@D)/wraps -o $@ $(FAULTS_OBJECTS) $(OBJECTS) $(LIBRARIES) -lmicrohttpd

$(B)/bench/timed: $(B)/tests/bench/timed.o $(B)/flags
	@mkdir -p $(@D)
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $<

$(B)/mktrace: $(MKTRACE_OBJECTS) $(B)/flags
	$(say) '  LINK  $@'
	$(Q)$(LINK) -o $@ $(MKTRACE_OBJECTS)

-include $(MKTRACE_OBJECTS:.o=.d) $(B)/tests/bench/timed.d $(FAULTS_OBJECTS:.o=.d)
-include $(OBJECTS:.o=.d) $(REFERENCE_OBJECTS:.o=.d) $(SUPPORT_OBJECTS:.o=.d) $(UNIT_PROGRAMS:%=%.d) $(REPLAY_PROGRAMS:%=%.d) $(B)/tests/fuzz/seeds.d \
    $(B)/tests/fuzz/replay.d
