# Every outside library, found once. scripts/install-dependencies brings what is missing.
find_package(PkgConfig REQUIRED)

pkg_check_modules(LTTNG_UST REQUIRED IMPORTED_TARGET lttng-ust>=2.13)
pkg_check_modules(LTTNG_CTL REQUIRED IMPORTED_TARGET lttng-ctl>=2.13)
pkg_check_modules(BABELTRACE2 REQUIRED IMPORTED_TARGET babeltrace2>=2.0)
pkg_check_modules(MICROHTTPD REQUIRED IMPORTED_TARGET libmicrohttpd)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(INIH REQUIRED IMPORTED_TARGET inih)
# A history can be kept on a server, too, where libpq is.
pkg_check_modules(POSTGRES IMPORTED_TARGET libpq)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
if(GAPTRACE_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
find_package(Blst REQUIRED)
find_package(Nvtx)
